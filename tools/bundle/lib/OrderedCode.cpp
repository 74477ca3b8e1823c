// SPDX-License-Identifier: Apache-2.0
#include "OrderedCode.h"
#include <bit>

namespace smp {

/// The last `count` bytes of a number, highest first.
static std::string lastBytes(uint64_t value, int count) {
  std::string bytes;
  for (int i = count - 1; i >= 0; --i)
    bytes += i < 8 ? char(value >> (8 * i)) : '\0';
  return bytes;
}

/// How many bytes there are, then these.
void appendOrderedNumber(std::string &to, uint64_t value) {
  const int count = (std::bit_width(value) + 7) / 8;
  to += char(count);
  to += lastBytes(value, count);
}

/// 00 and FF are followed by FF and 00; 00 01 is the end.
void appendOrderedText(std::string &to, std::string_view text) {
  for (const char c : text) {
    to += c;
    if (c == '\x00')
      to += '\xff';
    else if (c == '\xff')
      to += '\x00';
  }
  to += '\x00';
  to += '\x01';
}

/// So many bits at the front are turned as there are bytes; the next one is
/// not, and then come the number's, seven less than there are bytes for each.
void appendOrderedSigned(std::string &to, int64_t value) {
  const uint64_t bits = value < 0 ? ~uint64_t(value) : uint64_t(value);
  const int count = std::bit_width(bits) / 7 + 1;
  std::string bytes = lastBytes(uint64_t(value), count);
  if (value < 0) // Bytes above the eighth repeat the sign.
    for (int i = 0; i < count - 8; ++i)
      bytes[size_t(i)] = '\xff';
  const auto header = uint16_t(0xffff << (16 - count));
  bytes[0] = char(bytes[0] ^ (header >> 8));
  if (count > 1)
    bytes[1] = char(bytes[1] ^ (header & 0xff));
  to += bytes;
}

std::string sliceKey(std::string_view name,
                     std::span<const SliceExtent> extents) {
  std::string key;
  appendOrderedNumber(key, 0);
  appendOrderedText(key, name);
  appendOrderedNumber(key, extents.size());
  for (const SliceExtent &extent : extents) {
    appendOrderedSigned(key, extent.start);
    appendOrderedSigned(key, extent.length);
  }
  return key;
}

} // namespace smp
