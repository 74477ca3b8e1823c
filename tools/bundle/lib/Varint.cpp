// SPDX-License-Identifier: Apache-2.0
#include "Varint.h"

namespace smp {

void appendVarint(std::string &to, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    to += char(value | 0x80);
  to += char(value);
}

static void appendFixed(std::string &to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    to += char(value >> (8 * i));
}
void appendFixed32(std::string &to, uint32_t value) {
  appendFixed(to, value, 4);
}
void appendFixed64(std::string &to, uint64_t value) {
  appendFixed(to, value, 8);
}

std::optional<uint64_t> takeVarint(std::string_view &from) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = uint8_t(from.front());
    if (shift == 63 && byte > 1)
      return std::nullopt;
    from.remove_prefix(1);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte >= 0x80)
      continue;
    if (byte == 0 && shift > 0)
      return std::nullopt;
    return value;
  }
  return std::nullopt;
}

static uint64_t loadFixed(std::string_view bytes, size_t at, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= uint64_t(uint8_t(bytes[at + size_t(i)])) << (8 * i);
  return value;
}
uint32_t loadFixed32(std::string_view bytes, size_t at) {
  return uint32_t(loadFixed(bytes, at, 4));
}
uint64_t loadFixed64(std::string_view bytes, size_t at) {
  return loadFixed(bytes, at, 8);
}

} // namespace smp
