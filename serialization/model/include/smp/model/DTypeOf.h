// SPDX-License-Identifier: Apache-2.0
// The element types of C++'s types.

#ifndef SMP_MODEL_DTYPEOF_H
#define SMP_MODEL_DTYPEOF_H

#include "smp/model/DType.h"
#include <concepts>

namespace smp {

/// double, float, bool, and integers by their size, so that `long` and
/// `long long` are both I64. C++20 has no type for F16 and BF16; characters are
/// no numbers.
template <typename T>
concept ElementType =
    (std::integral<T> || std::same_as<T, double> || std::same_as<T, float>) &&
    std::same_as<T, std::remove_cv_t<T>> && !std::same_as<T, char> &&
    !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
    !std::same_as<T, char16_t> && !std::same_as<T, char32_t> && sizeof(T) <= 8;

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
