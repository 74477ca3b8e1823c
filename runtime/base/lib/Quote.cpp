// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Quote.h"

namespace smp {

std::string quote(std::string_view name) {
  static constexpr size_t kMaxPrinted = 120;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "'";
  for (unsigned char c : name.substr(0, kMaxPrinted)) {
    if (c >= 0x20 && c != 0x7f) {
      text += char(c);
      continue;
    }
    text += "\\x";
    text += kHex[c >> 4];
    text += kHex[c & 15];
  }
  return text + (name.size() > kMaxPrinted ? "...'" : "'");
}

} // namespace smp
