// SPDX-License-Identifier: Apache-2.0
// cvt between all types, by its rounding. 8-bit values are in 16-bit registers.
#include "Apply.h"
#include "Numbers.h"
#include <limits>

using namespace smp::emulator;

namespace {

template <typename T>
struct InRegister {
  using type = T;
};
template <>
struct InRegister<uint8_t> {
  using type = uint16_t;
};
template <>
struct InRegister<int8_t> {
  using type = int16_t;
};
template <typename T>
using Stored = typename InRegister<T>::type;

template <typename D, typename S, bool saturates>
Stored<D> between(Stored<S> stored) {
  const S from = static_cast<S>(stored);
  if constexpr (saturates) {
    const __int128 least = std::numeric_limits<D>::min();
    const __int128 most = std::numeric_limits<D>::max();
    const __int128 value = from;
    return static_cast<D>(value < least ? least : value > most ? most : value);
  }
  return static_cast<D>(from);
}

template <typename T>
T whole(T value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  }
}

// What is out of range is the nearest value; a NaN is 0, or the sign bit where
// 64 bits take part.
template <typename D, typename S, Rounding rounding>
Stored<D> toInteger(S from) {
  const auto value = whole(widen(from), rounding);
  if (value != value)
    return sizeof(S) == 8 || sizeof(D) == 8
               ? static_cast<D>(uint64_t(1) << (8 * sizeof(D) - 1))
               : D(0);
  constexpr D kLeast = std::numeric_limits<D>::min();
  constexpr D kMost = std::numeric_limits<D>::max();
  using Wide = decltype(value);
  if (value <= static_cast<Wide>(kLeast))
    return kLeast;
  if (value >= static_cast<Wide>(kMost))
    return kMost;
  return static_cast<D>(value);
}

// `near` is the nearest to a value that is `over` less or greater than it:
// moves it to where the rounding wants it.
template <typename D>
D directed(D near, bool tooGreat, bool tooSmall, Rounding rounding) {
  const D infinity = std::numeric_limits<D>::infinity();
  const bool down =
      rounding == Rounding::Down || (rounding == Rounding::Zero && near > 0);
  const bool up =
      rounding == Rounding::Up || (rounding == Rounding::Zero && near < 0);
  if (down && tooGreat)
    return std::nextafter(near, -infinity);
  if (up && tooSmall)
    return std::nextafter(near, infinity);
  return near;
}

// A double of at most 53 bits: of more, the last one says whether any was lost.
template <typename S>
double sticky(S from) {
  const bool negative = from < 0;
  uint64_t magnitude = negative ? 0 - uint64_t(from) : uint64_t(from);
  if (magnitude >> 53)
    magnitude = (magnitude & ~uint64_t(0xfff)) |
                (magnitude & 0xfff ? uint64_t(0x1000) : 0);
  const double value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

template <typename D, typename S, Rounding rounding>
D fromInteger(Stored<S> stored) {
  const S from = static_cast<S>(stored);
  if constexpr (sizeof(D) == 2) {
    return narrow<D>(sticky(from), rounding);
  } else {
    const D near = static_cast<D>(from);
    // Exact in 64 bits of precision.
    const auto exact = static_cast<long double>(from);
    return directed(near, near > exact, near < exact, rounding);
  }
}

template <typename D, typename S, Rounding rounding>
D betweenFloats(S from) {
  const auto value = widen(from);
  if constexpr (sizeof(D) == 2) {
    return narrow<D>(value, rounding);
  } else {
    const D near = static_cast<D>(value);
    return directed(result<D>(near), near > value, near < value, rounding);
  }
}

template <typename T, Rounding rounding>
T toWhole(T from) {
  return result<T>(whole(widen(from), rounding));
}

// .sat: to 0..1, a NaN to 0.
template <typename D, auto op, typename S>
D clamped(S from) {
  const D to = op(from);
  const auto value = widen(to);
  if (!(value > 0))
    return result<D>(decltype(value)(0));
  return value > 1 ? result<D>(decltype(value)(1)) : to;
}

template <typename T, Rounding rounding, bool clampsNegative>
Pair<T> packed(float high, float low) {
  const auto one = [](float value) {
    return narrow<T>(
        clampsNegative && !(value > 0) && value == value ? 0 : value, rounding);
  };
  return {one(low), one(high)};
}

template <typename D, typename S>
void addIntegerPair(Table &table, const std::string &types) {
  addUnary<Stored<D>, Stored<S>, between<D, S, false>>(table, "cvt" + types);
  addUnary<Stored<D>, Stored<S>, between<D, S, true>>(table, "cvt.sat" + types);
}

template <typename D, typename S, Rounding rounding>
void addFromInteger(Table &table, const std::string &name) {
  addUnary<D, Stored<S>, fromInteger<D, S, rounding>>(table, name);
}

template <typename D, typename S, Rounding rounding>
void addToInteger(Table &table, const std::string &how,
                  const std::string &types) {
  constexpr auto kOp = toInteger<D, S, rounding>;
  addUnary<Stored<D>, S, kOp>(table, "cvt" + how + types);
  addUnary<Stored<D>, S, kOp>(table, "cvt" + how + ".sat" + types);
}

template <typename F, typename I>
void addMixed(Table &table, const std::string &f, const std::string &i) {
  addFromInteger<F, I, Rounding::Nearest>(table, "cvt.rn" + f + i);
  addFromInteger<F, I, Rounding::Zero>(table, "cvt.rz" + f + i);
  addFromInteger<F, I, Rounding::Down>(table, "cvt.rm" + f + i);
  addFromInteger<F, I, Rounding::Up>(table, "cvt.rp" + f + i);
  addToInteger<I, F, Rounding::Nearest>(table, ".rni", i + f);
  addToInteger<I, F, Rounding::Zero>(table, ".rzi", i + f);
  addToInteger<I, F, Rounding::Down>(table, ".rmi", i + f);
  addToInteger<I, F, Rounding::Up>(table, ".rpi", i + f);
}

template <typename I>
void addIntegerType(Table &table, const std::string &type) {
  addIntegerPair<I, uint8_t>(table, type + ".u8");
  addIntegerPair<I, int8_t>(table, type + ".s8");
  addIntegerPair<I, uint16_t>(table, type + ".u16");
  addIntegerPair<I, int16_t>(table, type + ".s16");
  addIntegerPair<I, uint32_t>(table, type + ".u32");
  addIntegerPair<I, int32_t>(table, type + ".s32");
  addIntegerPair<I, uint64_t>(table, type + ".u64");
  addIntegerPair<I, int64_t>(table, type + ".s64");
  addMixed<float, I>(table, ".f32", type);
  addMixed<double, I>(table, ".f64", type);
  addMixed<Half, I>(table, ".f16", type);
  addMixed<BHalf, I>(table, ".bf16", type);
}

template <typename D, typename S, auto op>
void addWithSat(Table &table, const std::string &how,
                const std::string &types) {
  addUnary<D, S, op>(table, "cvt" + how + types);
  addUnary<D, S, clamped<D, op, S>>(table, "cvt" + how + ".sat" + types);
}

template <typename D, typename S>
void addNarrowing(Table &table, const std::string &types) {
  addWithSat<D, S, betweenFloats<D, S, Rounding::Nearest>>(table, ".rn", types);
  addWithSat<D, S, betweenFloats<D, S, Rounding::Zero>>(table, ".rz", types);
  addWithSat<D, S, betweenFloats<D, S, Rounding::Down>>(table, ".rm", types);
  addWithSat<D, S, betweenFloats<D, S, Rounding::Up>>(table, ".rp", types);
}

template <typename T>
T same(T from) {
  return from;
}

template <typename T>
void addFloatType(Table &table, const std::string &type) {
  addWithSat<T, T, same<T>>(table, "", type + type);
  addWithSat<T, T, toWhole<T, Rounding::Nearest>>(table, ".rni", type + type);
  addWithSat<T, T, toWhole<T, Rounding::Zero>>(table, ".rzi", type + type);
  addWithSat<T, T, toWhole<T, Rounding::Down>>(table, ".rmi", type + type);
  addWithSat<T, T, toWhole<T, Rounding::Up>>(table, ".rpi", type + type);
}

template <typename T, Rounding rounding>
void addPacked(Table &table, const std::string &name, const std::string &type) {
  addBinary<Pair<T>, float, float, packed<T, rounding, false>>(table,
                                                               name + type);
  addBinary<Pair<T>, float, float, packed<T, rounding, true>>(
      table, name + ".relu" + type);
}

} // namespace

void smp::emulator::addConversions(Table &table) {
  addIntegerType<uint8_t>(table, ".u8");
  addIntegerType<int8_t>(table, ".s8");
  addIntegerType<uint16_t>(table, ".u16");
  addIntegerType<int16_t>(table, ".s16");
  addIntegerType<uint32_t>(table, ".u32");
  addIntegerType<int32_t>(table, ".s32");
  addIntegerType<uint64_t>(table, ".u64");
  addIntegerType<int64_t>(table, ".s64");
  addFloatType<Half>(table, ".f16");
  addFloatType<BHalf>(table, ".bf16");
  addFloatType<float>(table, ".f32");
  addFloatType<double>(table, ".f64");
  addNarrowing<Half, float>(table, ".f16.f32");
  addNarrowing<Half, double>(table, ".f16.f64");
  addNarrowing<BHalf, float>(table, ".bf16.f32");
  addNarrowing<BHalf, double>(table, ".bf16.f64");
  addNarrowing<float, double>(table, ".f32.f64");
  constexpr auto kRounding = Rounding::Nearest;
  addWithSat<float, Half, betweenFloats<float, Half, kRounding>>(table, "",
                                                                 ".f32.f16");
  addWithSat<double, Half, betweenFloats<double, Half, kRounding>>(table, "",
                                                                   ".f64.f16");
  addWithSat<float, BHalf, betweenFloats<float, BHalf, kRounding>>(table, "",
                                                                   ".f32.bf16");
  addWithSat<double, float, betweenFloats<double, float, kRounding>>(
      table, "", ".f64.f32");
  addPacked<Half, Rounding::Nearest>(table, "cvt.rn", ".f16x2.f32");
  addPacked<Half, Rounding::Zero>(table, "cvt.rz", ".f16x2.f32");
  addPacked<BHalf, Rounding::Nearest>(table, "cvt.rn", ".bf16x2.f32");
  addPacked<BHalf, Rounding::Zero>(table, "cvt.rz", ".bf16x2.f32");
}
