// SPDX-License-Identifier: Apache-2.0
// bf16 and f16 as bits: conversions to and from the wider floats by integers.

#ifndef SMP_MODEL_FLOAT16_H
#define SMP_MODEL_FLOAT16_H

#include <bit>
#include <cstdint>

namespace smp {

/// A 16-bit float: where its exponent ends and how far it reaches.
struct Float16Format {
  int mantissaBits;
  int exponentBits;
};
inline constexpr Float16Format kBF16{7, 8};
inline constexpr Float16Format kF16{10, 5};

/// `value` in `format`, rounded once, to nearest even. A NaN stays a NaN and
/// keeps its sign and the top of its payload; what is too large is infinite.
constexpr uint16_t toFloat16(double value, Float16Format format) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint16_t sign = uint16_t(bits >> 63 << 15);
  const uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  const int exponent = int(bits >> 52 & 0x7ff) - 1023;
  const int maxExponent = (1 << (format.exponentBits - 1)) - 1;
  const uint16_t infinity =
      uint16_t(((1 << format.exponentBits) - 1) << format.mantissaBits);
  const int dropped = 52 - format.mantissaBits;
  if (exponent == 1024 && mantissa != 0)
    return uint16_t(sign | infinity | 1 << (format.mantissaBits - 1) |
                    uint16_t(mantissa >> dropped));
  if (exponent > maxExponent)
    return uint16_t(sign | infinity);
  // Below the least normal exponent more bits are dropped.
  const int shortfall =
      exponent < 1 - maxExponent ? 1 - maxExponent - exponent : 0;
  const int shift = dropped + shortfall;
  if (shift > 54)
    return sign;
  const uint64_t significand =
      mantissa | (exponent > -1023 ? uint64_t(1) << 52 : 0);
  const uint64_t half = uint64_t(1) << (shift - 1);
  const uint64_t rest = significand & (2 * half - 1);
  uint64_t rounded = significand >> shift;
  rounded += rest > half || (rest == half && (rounded & 1)) ? 1 : 0;
  // The implicit bit adds one to the exponent field, as does a carry.
  const uint64_t base = shortfall ? 0
                                  : uint64_t(exponent + maxExponent - 1)
                                        << format.mantissaBits;
  return uint16_t(sign | (base + rounded));
}

/// The value of `bits` in `format`; exact.
constexpr double fromFloat16(uint16_t bits, Float16Format format) {
  const uint64_t sign = uint64_t(bits >> 15) << 63;
  const int maxExponent = (1 << (format.exponentBits - 1)) - 1;
  const int field =
      bits >> format.mantissaBits & ((1 << format.exponentBits) - 1);
  const uint64_t mantissa = bits & ((1u << format.mantissaBits) - 1);
  const int shift = 52 - format.mantissaBits;
  if (field == (1 << format.exponentBits) - 1)
    return std::bit_cast<double>(sign | uint64_t(0x7ff) << 52 |
                                 mantissa << shift);
  if (field != 0)
    return std::bit_cast<double>(
        sign | uint64_t(field - maxExponent + 1023) << 52 | mantissa << shift);
  // Subnormal: mantissa * 2^(1 - maxExponent - mantissaBits).
  const double unit = std::bit_cast<double>(
      uint64_t(1 - maxExponent - format.mantissaBits + 1023) << 52);
  const double magnitude = double(mantissa) * unit;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) | sign);
}

} // namespace smp

#endif // SMP_MODEL_FLOAT16_H
