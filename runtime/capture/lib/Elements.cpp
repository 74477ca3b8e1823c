// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "smp/model/Float16.h"
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace smp {

template <typename T>
static T load(std::span<const std::byte> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls `use` with the element as the C++ type that holds it.
template <typename Use>
static auto visit(DType dtype, std::span<const std::byte> bytes, size_t index,
                  Use use) {
  switch (dtype) {
  case DType::F64:
    return use(load<double>(bytes, index));
  case DType::F32:
    return use(load<float>(bytes, index));
  case DType::BF16:
    return use(float(fromFloat16(load<uint16_t>(bytes, index), kBF16)));
  case DType::F16:
    return use(float(fromFloat16(load<uint16_t>(bytes, index), kF16)));
  case DType::I64:
    return use(load<int64_t>(bytes, index));
  case DType::I32:
    return use(load<int32_t>(bytes, index));
  case DType::I16:
    return use(load<int16_t>(bytes, index));
  case DType::I8:
    return use(load<int8_t>(bytes, index));
  case DType::U64:
    return use(load<uint64_t>(bytes, index));
  case DType::U32:
    return use(load<uint32_t>(bytes, index));
  case DType::U16:
    return use(load<uint16_t>(bytes, index));
  case DType::U8:
  case DType::Bool:
    break;
  }
  return use(load<uint8_t>(bytes, index));
}

double elementAsDouble(DType dtype, std::span<const std::byte> bytes,
                       size_t index) {
  return visit(dtype, bytes, index, [](auto value) { return double(value); });
}

std::string elementAsJson(DType dtype, std::span<const std::byte> bytes,
                          size_t index) {
  return visit(dtype, bytes, index, [](auto value) -> std::string {
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
