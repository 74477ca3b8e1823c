// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers.
#include "Apply.h"
#include <limits>
#include <type_traits>

using namespace smp::emulator;

namespace {

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

template <typename T>
struct Twice;
template <>
struct Twice<uint16_t> {
  using type = uint32_t;
};
template <>
struct Twice<int16_t> {
  using type = int32_t;
};
template <>
struct Twice<uint32_t> {
  using type = uint64_t;
};
template <>
struct Twice<int32_t> {
  using type = int64_t;
};
template <>
struct Twice<uint64_t> {
  using type = unsigned __int128;
};
template <>
struct Twice<int64_t> {
  using type = __int128;
};
template <typename T>
using Wide = typename Twice<T>::type;

template <typename T>
T plus(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
}
template <typename T>
T minus(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
}
template <typename T>
T low(T a, T b) {
  return static_cast<T>(uint64_t(a) * uint64_t(b));
}
template <typename T>
T high(T a, T b) {
  return static_cast<T>(Wide<T>(a) * Wide<T>(b) >> (8 * sizeof(T)));
}
template <typename T>
Wide<T> wide(T a, T b) {
  return Wide<T>(a) * Wide<T>(b);
}
template <typename T>
T madLow(T a, T b, T c) {
  return plus(low(a, b), c);
}
template <typename T>
T madHigh(T a, T b, T c) {
  return plus(high(a, b), c);
}
template <typename T>
Wide<T> madWide(T a, T b, Wide<T> c) {
  return plus<Wide<T>>(wide(a, b), c);
}

// Division by zero gives all bits, as a GPU does; the least by -1 overflows.
template <typename T>
T quotient(T a, T b) {
  if (b == 0)
    return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return minus<T>(0, a);
  return static_cast<T>(a / b);
}
template <typename T>
T remainder(T a, T b) {
  if (b == 0)
    return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return 0;
  return static_cast<T>(a % b);
}
template <typename T>
T least(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T greatest(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
T negative(T a) {
  return minus<T>(0, a);
}
template <typename T>
T absolute(T a) {
  return a < 0 ? minus<T>(0, a) : a;
}
template <typename T>
T difference(T a, T b, T c) {
  return plus(c, a < b ? minus(b, a) : minus(a, b));
}
int32_t saturate(int64_t value) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(value < kLeast  ? kLeast
                              : value > kMost ? kMost
                                              : value);
}
int32_t plusSaturated(int32_t a, int32_t b) { return saturate(int64_t(a) + b); }
int32_t minusSaturated(int32_t a, int32_t b) {
  return saturate(int64_t(a) - b);
}

// What add, sub and mad do with the carry, a bit per lane.
enum class Carry { Out, In, InOut };

template <typename T, bool subtracts, bool multiplies, Carry carry>
void carrying(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Lanes<T> a = read<T>(warp, instruction.ops[1]);
  Lanes<T> b = read<T>(warp, instruction.ops[2]);
  uint32_t defined =
      known(warp, instruction.ops[1]) & known(warp, instruction.ops[2]);
  if constexpr (multiplies) {
    const Lanes<T> c = read<T>(warp, instruction.ops[3]);
    defined &= known(warp, instruction.ops[3]);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      a.at[lane] = low(a.at[lane], b.at[lane]);
      b.at[lane] = c.at[lane];
    }
  }
  Lanes<T> r;
  uint32_t out = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const T in = carry == Carry::Out ? 0 : warp.carry >> lane & 1;
    const Wide<T> sum = subtracts ? Wide<T>(a.at[lane]) - b.at[lane] - in
                                  : Wide<T>(a.at[lane]) + b.at[lane] + in;
    r.at[lane] = static_cast<T>(sum);
    out |= static_cast<uint32_t>(sum >> (8 * sizeof(T)) & 1) << lane;
  }
  if (carry != Carry::In)
    warp.carry = (warp.carry & ~mask) | (out & mask);
  write(warp, instruction.ops[0], r, mask, defined);
}

template <typename T>
void addCarrying(Table &table, const std::string &type) {
  static constexpr char kTwo[] = {letter<T>(), letter<T>(), letter<T>(), 0};
  static constexpr char kThree[] = {letter<T>(), letter<T>(), letter<T>(),
                                    letter<T>(), 0};
  table["add.cc" + type] = {carrying<T, false, false, Carry::Out>, kTwo};
  table["addc" + type] = {carrying<T, false, false, Carry::In>, kTwo};
  table["addc.cc" + type] = {carrying<T, false, false, Carry::InOut>, kTwo};
  table["sub.cc" + type] = {carrying<T, true, false, Carry::Out>, kTwo};
  table["subc" + type] = {carrying<T, true, false, Carry::In>, kTwo};
  table["subc.cc" + type] = {carrying<T, true, false, Carry::InOut>, kTwo};
  table["mad.lo.cc" + type] = {carrying<T, false, true, Carry::Out>, kThree};
  table["madc.lo" + type] = {carrying<T, false, true, Carry::In>, kThree};
  table["madc.lo.cc" + type] = {carrying<T, false, true, Carry::InOut>, kThree};
}

template <typename T>
void addType(Table &table, const std::string &type) {
  addBinary<T, T, T, plus<T>>(table, "add" + type);
  addBinary<T, T, T, minus<T>>(table, "sub" + type);
  addBinary<T, T, T, low<T>>(table, "mul.lo" + type);
  addBinary<T, T, T, high<T>>(table, "mul.hi" + type);
  addTernary<T, T, T, T, madLow<T>>(table, "mad.lo" + type);
  addTernary<T, T, T, T, madHigh<T>>(table, "mad.hi" + type);
  addBinary<T, T, T, quotient<T>>(table, "div" + type);
  addBinary<T, T, T, remainder<T>>(table, "rem" + type);
  addBinary<T, T, T, least<T>>(table, "min" + type);
  addBinary<T, T, T, greatest<T>>(table, "max" + type);
  addTernary<T, T, T, T, difference<T>>(table, "sad" + type);
  if constexpr (sizeof(T) < 8) {
    addBinary<Wide<T>, T, T, wide<T>>(table, "mul.wide" + type);
    addTernary<Wide<T>, T, T, Wide<T>, madWide<T>>(table, "mad.wide" + type);
  }
  if constexpr (std::is_signed_v<T>) {
    addUnary<T, T, negative<T>>(table, "neg" + type);
    addUnary<T, T, absolute<T>>(table, "abs" + type);
  }
  if constexpr (sizeof(T) >= 4)
    addCarrying<Unsigned<T>>(table, type);
}

} // namespace

void smp::emulator::addIntegers(Table &table) {
  addType<uint16_t>(table, ".u16");
  addType<int16_t>(table, ".s16");
  addType<uint32_t>(table, ".u32");
  addType<int32_t>(table, ".s32");
  addType<uint64_t>(table, ".u64");
  addType<int64_t>(table, ".s64");
  addBinary<int32_t, int32_t, int32_t, plusSaturated>(table, "add.sat.s32");
  addBinary<int32_t, int32_t, int32_t, minusSaturated>(table, "sub.sat.s32");
}
