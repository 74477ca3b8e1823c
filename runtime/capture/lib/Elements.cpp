// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "smp/model/Elements.h"
#include <charconv>
#include <cmath>
#include <type_traits>

namespace smp {

double elementAsDouble(DType dtype, std::span<const std::byte> bytes,
                       size_t index) {
  return visitElement(dtype, bytes, index,
                      [](auto value) { return double(value); });
}

std::string elementAsJson(DType dtype, std::span<const std::byte> bytes,
                          size_t index) {
  return visitElement(dtype, bytes, index, [](auto value) -> std::string {
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      if (std::isnan(value))
        return "\"NaN\"";
      if (std::isinf(value))
        return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    }
    char digits[32];
    auto [end, code] = std::to_chars(digits, digits + sizeof(digits), value);
    return {digits, end};
  });
}

} // namespace smp
