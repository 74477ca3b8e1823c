// SPDX-License-Identifier: Apache-2.0
// What a person wants tensors to be called.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_RENAMES_H
#define SMP_TOOLS_SMP_CHECKPOINT_RENAMES_H

#include "smp/base/Status.h"
#include <map>
#include <set>

namespace smp {

class Renames {
public:
  /// Puts all names below `root`; empty: leaves them.
  explicit Renames(std::string root = {}) : root(std::move(root)) {}
  /// Adds those of a file: a JSON object, from names below the root to other
  /// names, or to null for tensors that are left out.
  Status read(const std::string &path);

  /// What a file calls the tensor: its name below the root.
  std::string nameInFile(const std::string &name) const {
    return root.empty() ? name : root + "/" + name;
  }
  /// The new name; nothing when the tensor is left out.
  std::optional<std::string> apply(const std::string &name);
  /// That all names of the file were there.
  Status checkUsed() const;

private:
  std::string root, file;
  std::map<std::string, std::optional<std::string>> renames;
  std::set<std::string> used;
};

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_RENAMES_H
