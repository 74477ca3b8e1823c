// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_EXECUTE_NUMBERS_H
#define SMP_EMULATOR_EXECUTE_NUMBERS_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace smp::emulator {

/// The 16-bit types as their bits, and two of them in a register.
struct Half {
  uint16_t bits = 0;
};
struct BHalf {
  uint16_t bits = 0;
};
template <typename T>
struct Pair {
  T low, high;
};
using Half2 = Pair<Half>;
using BHalf2 = Pair<BHalf>;

enum class Rounding { Nearest, Zero, Down, Up };

/// The bits of `value` as a float of `exponent` and `fraction` bits, rounded
/// once. A NaN becomes `nan`.
inline uint16_t roundTo16(double value, int exponentBits, int fractionBits,
                          Rounding rounding, uint16_t nan) {
  if (value != value)
    return nan;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int bias = (1 << (exponentBits - 1)) - 1;
  const uint16_t infinity =
      static_cast<uint16_t>(((1 << exponentBits) - 1) << fractionBits);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  // In units of the last place, which is exact; subnormals have the least one.
  const int least = 1 - bias;
  const int exponent = std::max(std::ilogb(magnitude), least);
  const double scaled = std::ldexp(magnitude, fractionBits - exponent);
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  const bool away =
      rounding == Rounding::Nearest
          ? rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0)
      : rounding == Rounding::Zero ? false
      : rounding == Rounding::Down ? sign && rest > 0
                                   : !sign && rest > 0;
  whole += away;
  const uint32_t bits =
      static_cast<uint32_t>((exponent - least) << fractionBits) +
      static_cast<uint32_t>(whole);
  if (bits < infinity)
    return sign | static_cast<uint16_t>(bits);
  const bool saturates = rounding == Rounding::Zero ||
                         (rounding == Rounding::Down && !sign) ||
                         (rounding == Rounding::Up && sign);
  return sign | static_cast<uint16_t>(infinity - saturates);
}

inline constexpr uint16_t kHalfNaN = 0x7fff;
inline constexpr uint32_t kSingleNaN = 0x7fffffff;
inline constexpr uint64_t kDoubleNaN = 0x7ff8000000000000;

// What arithmetic computes in: exact enough that rounding the result to 16 bits
// gives the correctly rounded sum, product, quotient or root.
inline float widen(Half value) {
  const uint32_t sign = (value.bits & 0x8000u) << 16;
  const uint32_t exponent = value.bits >> 10 & 31, fraction = value.bits & 1023;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent)
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float tiny = static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(tiny) | sign);
}
inline float widen(BHalf value) {
  return std::bit_cast<float>(uint32_t(value.bits) << 16);
}
inline float widen(float value) { return value; }
inline double widen(double value) { return value; }

template <typename T>
inline T narrow(double value, Rounding rounding = Rounding::Nearest) {
  if constexpr (std::is_same_v<T, Half>)
    return {roundTo16(value, 5, 10, rounding, kHalfNaN)};
  else
    return {roundTo16(value, 8, 7, rounding, kHalfNaN)};
}
template <>
inline float narrow<float>(double, Rounding) = delete;

/// A result as its type has it: rounded to 16 bits; a NaN is the one NaN.
template <typename T, typename Wide>
inline T result(Wide value) {
  if constexpr (std::is_same_v<T, float>)
    return value != value ? std::bit_cast<float>(kSingleNaN) : value;
  else if constexpr (std::is_same_v<T, double>)
    return value != value ? std::bit_cast<double>(kDoubleNaN) : value;
  else
    return narrow<T>(static_cast<double>(value));
}

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_NUMBERS_H
