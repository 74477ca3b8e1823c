// SPDX-License-Identifier: Apache-2.0
// The element types of C++'s types.

#ifndef SMP_MODEL_DTYPEOF_H
#define SMP_MODEL_DTYPEOF_H

#include "smp/model/DType.h"
#include <concepts>

namespace smp {

namespace detail {
template <typename T, typename... Types>
inline constexpr bool kIsOneOf = (std::same_as<T, Types> || ...);
}

/// double, float, bool and the integers of <cstdint>. C++20 has no type for F16
/// and BF16.
template <typename T>
concept ElementType =
    detail::kIsOneOf<T, double, float, bool, int64_t, int32_t, int16_t, int8_t,
                     uint64_t, uint32_t, uint16_t, uint8_t>;

template <ElementType T>
constexpr DType dtypeOf() {
  if constexpr (std::same_as<T, double>)
    return DType::F64;
  else if constexpr (std::same_as<T, float>)
    return DType::F32;
  else if constexpr (std::same_as<T, bool>)
    return DType::Bool;
  else if constexpr (sizeof(T) == 8)
    return std::signed_integral<T> ? DType::I64 : DType::U64;
  else if constexpr (sizeof(T) == 4)
    return std::signed_integral<T> ? DType::I32 : DType::U32;
  else if constexpr (sizeof(T) == 2)
    return std::signed_integral<T> ? DType::I16 : DType::U16;
  else
    return std::signed_integral<T> ? DType::I8 : DType::U8;
}

} // namespace smp

#endif // SMP_MODEL_DTYPEOF_H
