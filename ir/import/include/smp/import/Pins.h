// SPDX-License-Identifier: Apache-2.0
// Pins from a file: which partition the nodes of a name pattern belong to.

#ifndef SMP_IMPORT_PINS_H
#define SMP_IMPORT_PINS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smp {

/// Nodes whose name matches `pattern` (a glob: `*`, `?`, `[a-z]`, `{a,b}`) are
/// pinned to `partition`.
struct Pin {
  std::string pattern;
  int64_t partition = 0;
};

/// Reads `{"encoder/*": 0, "decoder/*": 1}`, keeping the order. On an error
/// gives nothing and says in `error` what is wrong where.
std::optional<std::vector<Pin>> parsePins(std::string_view json,
                                          std::string &error);

} // namespace smp

#endif // SMP_IMPORT_PINS_H
