// SPDX-License-Identifier: Apache-2.0
// setp, set, selp, slct, testp.
#include "Apply.h"
#include "Numbers.h"

using namespace smp::emulator;

namespace {

enum class Compare { Eq, Ne, Lt, Le, Gt, Ge };

template <typename T>
constexpr bool isFloat = !std::is_integral_v<T>;

template <typename T>
auto value(T a) {
  if constexpr (isFloat<T>)
    return widen(a);
  else
    return a;
}

// `unordered`: what the comparison is if one is a NaN.
template <typename T, Compare compare, bool unordered>
bool holds(T left, T right) {
  const auto a = value(left), b = value(right);
  if (isFloat<T> && (a != a || b != b))
    return unordered;
  switch (compare) {
  case Compare::Eq:
    return a == b;
  case Compare::Ne:
    return a != b;
  case Compare::Lt:
    return a < b;
  case Compare::Le:
    return a <= b;
  case Compare::Gt:
    return a > b;
  case Compare::Ge:
    return a >= b;
  }
}
template <typename T, bool ordered>
bool isOrdered(T left, T right) {
  const auto a = value(left), b = value(right);
  return (a == a && b == b) == ordered;
}

enum class Join { None, And, Or, Xor };

template <typename T, auto op, Join join>
void setPredicate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto &ops = instruction.ops;
  const Lanes<T> a = read<T>(warp, ops[1]), b = read<T>(warp, ops[2]);
  uint32_t bits = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    bits |= uint32_t(op(a.at[lane], b.at[lane])) << lane;
  uint32_t defined = known(warp, ops[1]) & known(warp, ops[2]);
  uint32_t other = ~bits;
  if constexpr (join != Join::None) {
    const uint32_t with = readPredicate(warp, ops[3]);
    defined &= known(warp, ops[3]);
    other = join == Join::And  ? other & with
            : join == Join::Or ? other | with
                               : other ^ with;
    bits = join == Join::And  ? bits & with
           : join == Join::Or ? bits | with
                              : bits ^ with;
  }
  writePredicate(warp, ops[0], bits, mask, defined);
  if (!isNowhere(instruction.second))
    writePredicate(warp, instruction.second, other, mask, defined);
}

template <typename T, auto op, uint32_t yes>
uint32_t choice(T a, T b) {
  return op(a, b) ? yes : 0;
}

template <typename T, auto op>
void addCompare(Table &table, const std::string &name,
                const std::string &type) {
  static constexpr char kAlone[] = {'p', '|', 'p', letter<T>(), letter<T>(), 0};
  static constexpr char kJoined[] = {'p',         '|', 'p', letter<T>(),
                                     letter<T>(), 'p', 0};
  table["setp" + name + type] = {setPredicate<T, op, Join::None>, kAlone};
  table["setp" + name + ".and" + type] = {setPredicate<T, op, Join::And>,
                                          kJoined};
  table["setp" + name + ".or" + type] = {setPredicate<T, op, Join::Or>,
                                         kJoined};
  table["setp" + name + ".xor" + type] = {setPredicate<T, op, Join::Xor>,
                                          kJoined};
  addBinary<uint32_t, T, T, choice<T, op, ~0u>>(table,
                                                "set" + name + ".u32" + type);
  addBinary<uint32_t, T, T, choice<T, op, ~0u>>(table,
                                                "set" + name + ".s32" + type);
  addBinary<uint32_t, T, T, choice<T, op, 0x3f800000>>(
      table, "set" + name + ".f32" + type);
}

template <typename T>
void addInteger(Table &table, const std::string &type) {
  addCompare<T, holds<T, Compare::Eq, false>>(table, ".eq", type);
  addCompare<T, holds<T, Compare::Ne, false>>(table, ".ne", type);
  addCompare<T, holds<T, Compare::Lt, false>>(table, ".lt", type);
  addCompare<T, holds<T, Compare::Le, false>>(table, ".le", type);
  addCompare<T, holds<T, Compare::Gt, false>>(table, ".gt", type);
  addCompare<T, holds<T, Compare::Ge, false>>(table, ".ge", type);
  if (!std::is_signed_v<T>) {
    addCompare<T, holds<T, Compare::Lt, false>>(table, ".lo", type);
    addCompare<T, holds<T, Compare::Le, false>>(table, ".ls", type);
    addCompare<T, holds<T, Compare::Gt, false>>(table, ".hi", type);
    addCompare<T, holds<T, Compare::Ge, false>>(table, ".hs", type);
  }
}

template <typename T, Compare compare>
void addBoth(Table &table, const std::string &name, const std::string &type) {
  addCompare<T, holds<T, compare, false>>(table, "." + name, type);
  addCompare<T, holds<T, compare, true>>(table, "." + name + "u", type);
}

template <typename T>
void addFloat(Table &table, const std::string &type) {
  addBoth<T, Compare::Eq>(table, "eq", type);
  addBoth<T, Compare::Ne>(table, "ne", type);
  addBoth<T, Compare::Lt>(table, "lt", type);
  addBoth<T, Compare::Le>(table, "le", type);
  addBoth<T, Compare::Gt>(table, "gt", type);
  addBoth<T, Compare::Ge>(table, "ge", type);
  addCompare<T, isOrdered<T, true>>(table, ".num", type);
  addCompare<T, isOrdered<T, false>>(table, ".nan", type);
}

template <typename T>
void select(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto &ops = instruction.ops;
  const Lanes<T> a = read<T>(warp, ops[1]), b = read<T>(warp, ops[2]);
  const uint32_t which = readPredicate(warp, ops[3]);
  Lanes<T> r;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    r.at[lane] = which >> lane & 1 ? a.at[lane] : b.at[lane];
  write(warp, ops[0], r, mask,
        known(warp, ops[3]) &
            ((which & known(warp, ops[1])) | (~which & known(warp, ops[2]))));
}

template <typename T, typename C>
T bySign(T a, T b, C c) {
  return c >= 0 ? a : b;
}

template <typename T>
void addSelect(Table &table, const std::string &width) {
  static constexpr char kSelect[] = {letter<T>(), letter<T>(), letter<T>(), 'p',
                                     0};
  for (const char *kind : {".b", ".u", ".s", ".f"}) {
    table["selp" + (kind + width)] = {select<T>, kSelect};
    addTernary<T, T, T, int32_t, bySign<T, int32_t>>(
        table, "slct" + (kind + width) + ".s32");
    addTernary<T, T, T, float, bySign<T, float>>(
        table, "slct" + (kind + width) + ".f32");
  }
}

enum class Test { Finite, Infinite, Number, NaN, Normal, Subnormal };

template <typename T, Test test>
void testProperty(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<T> a = read<T>(warp, instruction.ops[1]);
  uint32_t bits = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const T x = a.at[lane];
    const bool is = test == Test::Finite     ? std::isfinite(x)
                    : test == Test::Infinite ? std::isinf(x)
                    : test == Test::Number   ? !std::isnan(x)
                    : test == Test::NaN      ? std::isnan(x)
                    : test == Test::Normal ? std::isnormal(x)
                                           : std::fpclassify(x) == FP_SUBNORMAL;
    bits |= uint32_t(is) << lane;
  }
  writePredicate(warp, instruction.ops[0], bits, mask,
                 known(warp, instruction.ops[1]));
}

template <typename T>
void addTests(Table &table, const std::string &type) {
  static constexpr char kTest[] = {'p', letter<T>(), 0};
  table["testp.finite" + type] = {testProperty<T, Test::Finite>, kTest};
  table["testp.infinite" + type] = {testProperty<T, Test::Infinite>, kTest};
  table["testp.number" + type] = {testProperty<T, Test::Number>, kTest};
  table["testp.notanumber" + type] = {testProperty<T, Test::NaN>, kTest};
  table["testp.normal" + type] = {testProperty<T, Test::Normal>, kTest};
  table["testp.subnormal" + type] = {testProperty<T, Test::Subnormal>, kTest};
}

} // namespace

void smp::emulator::addComparisons(Table &table) {
  addInteger<uint16_t>(table, ".u16");
  addInteger<uint16_t>(table, ".b16");
  addInteger<int16_t>(table, ".s16");
  addInteger<uint32_t>(table, ".u32");
  addInteger<uint32_t>(table, ".b32");
  addInteger<int32_t>(table, ".s32");
  addInteger<uint64_t>(table, ".u64");
  addInteger<uint64_t>(table, ".b64");
  addInteger<int64_t>(table, ".s64");
  addFloat<float>(table, ".f32");
  addFloat<double>(table, ".f64");
  addFloat<Half>(table, ".f16");
  addFloat<BHalf>(table, ".bf16");
  addSelect<uint16_t>(table, "16");
  addSelect<uint32_t>(table, "32");
  addSelect<uint64_t>(table, "64");
  addTests<float>(table, ".f32");
  addTests<double>(table, ".f64");
}
