// SPDX-License-Identifier: Apache-2.0
#include "NumberText.h"
#include <charconv>
#include <cstdio>
#include <iterator>

namespace smp {

std::string hexText(uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx",
                static_cast<unsigned long long>(value));
  return digits;
}

std::string realText(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), value).ptr};
}

} // namespace smp
