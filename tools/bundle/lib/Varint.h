// SPDX-License-Identifier: Apache-2.0
// Numbers as tables and texts of bundles have them: seven bits per byte, lowest
// first, and fixed ones with the lowest byte first.

#ifndef SMP_TOOLS_BUNDLE_LIB_VARINT_H
#define SMP_TOOLS_BUNDLE_LIB_VARINT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace smp {

void appendVarint(std::string &to, uint64_t value);
void appendFixed32(std::string &to, uint32_t value);
void appendFixed64(std::string &to, uint64_t value);

/// Takes a number off the front of `from`; nothing when it ends before, has
/// more than 64 bits, or more bytes than it needs.
std::optional<uint64_t> takeVarint(std::string_view &from);

/// The four or eight bytes at `at`, which are there.
uint32_t loadFixed32(std::string_view bytes, size_t at);
uint64_t loadFixed64(std::string_view bytes, size_t at);

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_VARINT_H
