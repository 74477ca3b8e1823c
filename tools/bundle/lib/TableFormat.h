// SPDX-License-Identifier: Apache-2.0
// Numbers of the format of sorted tables, for its reader and its writer.

#ifndef SMP_TOOLS_BUNDLE_LIB_TABLEFORMAT_H
#define SMP_TOOLS_BUNDLE_LIB_TABLEFORMAT_H

#include <cstddef>
#include <cstdint>

namespace smp {

/// At the end: where the two last blocks are, zeros, and the magic number.
inline constexpr size_t kTableFooterBytes = 48;
inline constexpr uint64_t kTableMagic = 0xdb4775248b80fb57;
/// After each block: its compression and the digest of both, masked.
inline constexpr size_t kBlockTrailerBytes = 5;
inline constexpr char kNoCompression = 0;

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_TABLEFORMAT_H
