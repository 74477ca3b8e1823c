// SPDX-License-Identifier: Apache-2.0
// Random words to elements. Compiled without fused multiply-adds.
#include "smp/model/Float16.h"
#include "smp/model/Philox.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace smp {

static constexpr double kTwoPow32 = 4294967296.0;

/// ln of (word + 1) / 2^32, in (-22.2, 0]: x = m * 2^e with m in
/// [sqrt(1/2), sqrt(2)), and ln m = 2 artanh((m - 1) / (m + 1)) by its series.
static double logOfWord(uint32_t word) {
  int exponent = 0;
  double m = std::frexp((double(word) + 1.0) / kTwoPow32, &exponent);
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2)
    sum = sum * s2 + 1.0 / k;
  return double(exponent) * 0.69314718055994530942 + 2 * s * sum;
}

/// 1 - x^2/(k(k-1)) (1 - x^2/((k-2)(k-3)) ( ... )): cos x for even k, sin x / x
/// for odd k, by Taylor's series; x in [0, pi/4].
static double series(double x, int k) {
  double sum = 1;
  for (; k >= 2; k -= 2)
    sum = 1 - x * x / double(k * (k - 1)) * sum;
  return sum;
}
static double sine(double x) { return x * series(x, 17); }
static double cosine(double x) { return series(x, 18); }

/// cos and sin of 2 pi word / 2^32: the top three bits are the octant.
static std::array<double, 2> turn(uint32_t word) {
  constexpr double kQuarterPi = 0.78539816339744830962;
  const uint32_t octant = word >> 29;
  const double part = double(word & 0x1fffffff) / 536870912.0;
  const double x = kQuarterPi * (octant % 2 ? 1 - part : part);
  double c = cosine(x), s = sine(x);
  if (octant % 4 == 1 || octant % 4 == 2)
    std::swap(c, s);
  if (octant >= 2 && octant < 6)
    c = -c;
  if (octant >= 4)
    s = -s;
  return {c, s};
}

std::array<double, 2> normalPair(uint32_t first, uint32_t second) {
  const double radius = std::sqrt(-2 * logOfWord(first));
  const auto [c, s] = turn(second);
  return {radius * c, radius * s};
}

//===----------------------------------------------------------------------===//
// Rounding to an element type
//===----------------------------------------------------------------------===//

/// A float type's bits as an integer type `Bits`.
template <typename Bits>
struct FloatType {
  Bits (*round)(double);
  double (*widen)(Bits);
};

static constexpr FloatType<uint16_t> kTypeBF16{
    [](double x) { return toFloat16(x, kBF16); },
    [](uint16_t bits) { return fromFloat16(bits, kBF16); }};
static constexpr FloatType<uint16_t> kTypeF16{
    [](double x) { return toFloat16(x, kF16); },
    [](uint16_t bits) { return fromFloat16(bits, kF16); }};
static constexpr FloatType<uint32_t> kTypeF32{
    [](double x) { return std::bit_cast<uint32_t>(float(x)); },
    [](uint32_t bits) { return double(std::bit_cast<float>(bits)); }};
static constexpr FloatType<uint64_t> kTypeF64{
    [](double x) { return std::bit_cast<uint64_t>(x); },
    [](uint64_t bits) { return std::bit_cast<double>(bits); }};

/// The next value towards minus infinity of a finite one.
template <typename Bits>
static Bits below(Bits bits) {
  constexpr Bits sign = Bits(Bits(1) << (sizeof(Bits) * 8 - 1));
  if ((bits & ~sign) == 0)
    return sign | 1;
  return Bits(bits & sign ? bits + 1 : bits - 1);
}

template <typename Bits>
static void store(std::span<std::byte> bytes, uint64_t element, Bits bits) {
  std::memcpy(bytes.data() + element * sizeof(Bits), &bits, sizeof(Bits));
}

/// Calls `put(element, word)` for every element with its four words.
template <typename Put>
static void forEachBlock(uint64_t elements, uint64_t seed, const Put &put) {
  for (uint64_t block = 0; block * 4 < elements; ++block)
    put(block * 4, std::min<uint64_t>(4, elements - block * 4),
        philox({uint32_t(block), 0, 0, 0}, seed));
}

template <typename Bits>
static void uniform(std::span<std::byte> bytes, FloatType<Bits> type, double a,
                    double b, uint64_t seed) {
  forEachBlock(bytes.size() / sizeof(Bits), seed,
               [&](uint64_t first, uint64_t count, PhiloxWords words) {
                 for (uint64_t i = 0; i < count; ++i) {
                   const double unit = double(words[i]) / kTwoPow32;
                   Bits bits = type.round(a + (b - a) * unit);
                   while (a < b && type.widen(bits) >= b)
                     bits = below(bits);
                   store(bytes, first + i, bits);
                 }
               });
}

template <typename Bits>
static void normal(std::span<std::byte> bytes, FloatType<Bits> type,
                   double mean, double deviation, uint64_t seed) {
  forEachBlock(bytes.size() / sizeof(Bits), seed,
               [&](uint64_t first, uint64_t count, PhiloxWords words) {
                 for (uint64_t i = 0; i < count; ++i) {
                   const uint64_t pair = i & ~uint64_t(1);
                   const double unit =
                       normalPair(words[pair], words[pair + 1])[i & 1];
                   store(bytes, first + i, type.round(mean + deviation * unit));
                 }
               });
}

/// Calls `fill` with the FloatType of a float type.
template <typename Fill>
static void forFloatType(DType type, const Fill &fill) {
  switch (type) {
  case DType::F64:
    return fill(kTypeF64);
  case DType::F32:
    return fill(kTypeF32);
  case DType::BF16:
    return fill(kTypeBF16);
  case DType::F16:
    return fill(kTypeF16);
  default:
    assert(false && "not a float type");
  }
}

void fillUniform(std::span<std::byte> bytes, DType type, double a, double b,
                 uint64_t seed) {
  forFloatType(type, [&](auto format) { uniform(bytes, format, a, b, seed); });
}

void fillNormal(std::span<std::byte> bytes, DType type, double mean,
                double deviation, uint64_t seed) {
  forFloatType(
      type, [&](auto format) { normal(bytes, format, mean, deviation, seed); });
}

//===----------------------------------------------------------------------===//
// Splats
//===----------------------------------------------------------------------===//

/// `value` towards zero, or the nearest there is; 0 for what is no number.
template <typename Int>
static Int toInteger(double value) {
  using Limits = std::numeric_limits<Int>;
  if (value != value)
    return 0;
  if (value <= double(Limits::min()))
    return Limits::min();
  // 2^digits is the first double that is too large.
  if (value >= std::ldexp(1.0, Limits::digits))
    return Limits::max();
  return Int(value);
}

template <typename Bits>
static void repeat(std::span<std::byte> bytes, Bits bits) {
  for (uint64_t i = 0; i < bytes.size() / sizeof(Bits); ++i)
    store(bytes, i, bits);
}

void fillSplat(std::span<std::byte> bytes, DType type, double value) {
  switch (type) {
  case DType::F64:
  case DType::F32:
  case DType::BF16:
  case DType::F16:
    return forFloatType(
        type, [&](auto format) { repeat(bytes, format.round(value)); });
  case DType::I64:
    return repeat(bytes, toInteger<int64_t>(value));
  case DType::I32:
    return repeat(bytes, toInteger<int32_t>(value));
  case DType::I16:
    return repeat(bytes, toInteger<int16_t>(value));
  case DType::I8:
    return repeat(bytes, toInteger<int8_t>(value));
  case DType::U64:
    return repeat(bytes, toInteger<uint64_t>(value));
  case DType::U32:
    return repeat(bytes, toInteger<uint32_t>(value));
  case DType::U16:
    return repeat(bytes, toInteger<uint16_t>(value));
  case DType::U8:
    return repeat(bytes, toInteger<uint8_t>(value));
  case DType::Bool:
    return repeat(bytes, uint8_t(value != 0));
  }
}

} // namespace smp
