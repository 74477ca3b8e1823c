// SPDX-License-Identifier: Apache-2.0
// The files that a call of a tool names.

#ifndef SMP_TOOLS_NAMEDFILES_H
#define SMP_TOOLS_NAMEDFILES_H

#include "smp/base/Status.h"
#include <string>
#include <vector>

namespace smp {

/// What a tool reads and what it writes, so that no output takes the place of
/// an input or of another output. A tool says all of them, and checks, before
/// it writes the first.
class NamedFiles {
public:
  /// Texts that are no path of a file, such as JSON or nothing, are ignored.
  void reads(const std::string &path);
  void reads(const std::vector<std::string> &paths);
  /// `who`, as "--trace", writes the file. Ignored: nothing, "-", and what is
  /// not replaced when it is written (see OutputPath), as fifos and devices.
  void writes(const std::string &who, const std::string &path);

  /// Refuses a file that is written and has another part too, whatever paths
  /// lead to it. The error names who writes it, and the file.
  Status check() const;
  /// Whether a path leads to one of them.
  bool has(const std::string &path) const;

private:
  struct Written {
    std::string who, path;
    std::string target; ///< Where the links of the path lead.
  };
  std::vector<std::string> read;
  std::vector<Written> written;
};

} // namespace smp

#endif // SMP_TOOLS_NAMEDFILES_H
