// SPDX-License-Identifier: Apache-2.0
// A sorted table of keys and values: the file format of LevelDB (its
// doc/table_format.md) as TensorFlow uses it, without compression and filters.

#ifndef SMP_TOOLS_BUNDLE_LIB_SORTEDTABLE_H
#define SMP_TOOLS_BUNDLE_LIB_SORTEDTABLE_H

#include "smp/base/Status.h"
#include <functional>
#include <map>
#include <string_view>

namespace smp {

using TableEntry =
    std::function<Status(std::string_view key, std::string_view value)>;

/// Gives every entry to `each`, in the order of the keys, which only rise; ends
/// with its first error. Each block's digest is checked before its entries are
/// read. Takes time and memory in proportion to the table.
Status readTable(std::string_view table, const TableEntry &each);

/// The bytes of a table of these entries.
std::string formatTable(const std::map<std::string, std::string> &entries);

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_SORTEDTABLE_H
