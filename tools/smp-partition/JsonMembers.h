// SPDX-License-Identifier: Apache-2.0
// Members of JSON objects as what they have to be.

#ifndef SMP_TOOLS_SMP_PARTITION_JSONMEMBERS_H
#define SMP_TOOLS_SMP_PARTITION_JSONMEMBERS_H

#include "smp/serialization/JsonTree.h"
#include <string>
#include <vector>

namespace smp {

/// An object, and how errors name it.
class JsonMembers {
public:
  /// The object outlives this.
  JsonMembers(const JsonTree &object, std::string where)
      : object(object), where(std::move(where)) {}

  bool has(const char *name) const;
  StatusOr<double> number(const char *name) const;
  /// A number without fraction, of either sign.
  StatusOr<int64_t> whole(const char *name) const;
  /// A whole number from 0 to 1024.
  StatusOr<uint32_t> devices(const char *name) const;
  StatusOr<uint32_t> count(const char *name) const;
  /// A number from 0 to 2^62, rounded up.
  StatusOr<int64_t> bytes(const char *name) const;
  /// True, false, or a number that is 0 or not.
  StatusOr<bool> flag(const char *name, bool absent) const;
  std::string text(const char *name, std::string absent) const;
  StatusOr<std::span<const JsonTree>> list(const char *name) const;
  StatusOr<std::vector<int64_t>> wholes(const char *name) const;

private:
  Status wrong(const char *name, const std::string &what) const;

  const JsonTree &object;
  const std::string where;
};

/// The shortest text that is read as the same number.
std::string jsonNumber(double value);

} // namespace smp

#endif // SMP_TOOLS_SMP_PARTITION_JSONMEMBERS_H
