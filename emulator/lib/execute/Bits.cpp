// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, fields of bits and bytes.
#include "Apply.h"
#include <bit>
#include <type_traits>

using namespace smp::emulator;

namespace {

template <typename T>
T both(T a, T b) {
  return a & b;
}
template <typename T>
T either(T a, T b) {
  return a | b;
}
template <typename T>
T exclusive(T a, T b) {
  return a ^ b;
}
template <typename T>
T inverse(T a) {
  return static_cast<T>(~a);
}
template <typename T>
T isZero(T a) {
  return a == 0;
}

enum class Logic { And, Or, Xor, Not };

template <Logic logic>
void predicates(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint32_t a = readPredicate(warp, instruction.ops[1]);
  const Ref second = instruction.ops[logic == Logic::Not ? 1 : 2];
  const uint32_t b = readPredicate(warp, second);
  const uint32_t r = logic == Logic::And   ? a & b
                     : logic == Logic::Or  ? a | b
                     : logic == Logic::Xor ? a ^ b
                                           : ~a;
  writePredicate(warp, instruction.ops[0], r, mask,
                 known(warp, instruction.ops[1]) & known(warp, second));
}

// A shift by the width or more shifts everything out.
template <typename T>
T left(T a, uint32_t b) {
  return b < 8 * sizeof(T) ? static_cast<T>(a << b) : 0;
}
template <typename T>
T right(T a, uint32_t b) {
  if (b >= 8 * sizeof(T))
    return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : 0;
  return static_cast<T>(a >> b);
}

template <bool toLeft, bool wraps>
uint32_t funnel(uint32_t low, uint32_t high, uint32_t by) {
  const uint32_t n = wraps ? by & 31 : by > 32 ? 32 : by;
  const uint64_t both = uint64_t(high) << 32 | low;
  return static_cast<uint32_t>(toLeft ? both << n >> 32 : both >> n);
}

template <typename T>
T reverse(T a) {
  T r = 0;
  for (uint32_t i = 0; i < 8 * sizeof(T); ++i)
    r |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
  return r;
}
template <typename T>
uint32_t leadingZeros(T a) {
  return static_cast<uint32_t>(std::countl_zero(a));
}
template <typename T>
uint32_t population(T a) {
  return static_cast<uint32_t>(std::popcount(a));
}
// The place of the highest bit that is not the sign, or all bits.
template <typename T, bool asShift>
uint32_t highest(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(a < 0 ? ~a : a);
  if (bits == 0)
    return ~0u;
  const uint32_t zeros = static_cast<uint32_t>(std::countl_zero(bits));
  return asShift ? zeros : 8 * sizeof(T) - 1 - zeros;
}

template <typename T>
T extract(T a, uint32_t position, uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t kBits = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (length == 0)
    return 0;
  const uint32_t last = position + length - 1;
  const U sign =
      std::is_signed_v<T> ? U(a) >> (last < kBits ? last : kBits - 1) & 1 : 0;
  U r = right<U>(U(a), position);
  if (length < kBits) {
    const U low = (U(1) << length) - 1;
    r &= low;
  }
  const uint32_t have =
      position >= kBits ? 0 : std::min(length, kBits - position);
  if (sign && have < kBits)
    r |= ~U(0) << have;
  return static_cast<T>(r);
}

template <typename T>
T insert(T a, T into, uint32_t position, uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  const T ones = length >= 8 * sizeof(T) ? ~T(0) : (T(1) << length) - 1;
  const T field = left<T>(ones, position);
  return (left<T>(a, position) & field) | (into & ~field);
}

template <typename T>
void inserts(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto &ops = instruction.ops;
  const Lanes<T> a = read<T>(warp, ops[1]), b = read<T>(warp, ops[2]);
  const Lanes<uint32_t> c = read<uint32_t>(warp, ops[3]);
  const Lanes<uint32_t> d = read<uint32_t>(warp, ops[4]);
  Lanes<T> r;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    r.at[lane] = insert<T>(a.at[lane], b.at[lane], c.at[lane], d.at[lane]);
  write(warp, ops[0], r, mask,
        known(warp, ops[1]) & known(warp, ops[2]) & known(warp, ops[3]) &
            known(warp, ops[4]));
}

uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t r = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t nibble = selector >> (4 * i) & 15;
    uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (nibble & 7)) & 0xff);
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    r |= byte << (8 * i);
  }
  return r;
}

void anyLogic(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto &ops = instruction.ops;
  const auto a = read<uint32_t>(warp, ops[1]), b = read<uint32_t>(warp, ops[2]),
             c = read<uint32_t>(warp, ops[3]), t = read<uint32_t>(warp, ops[4]);
  Lanes<uint32_t> r;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    r.at[lane] = 0;
    for (uint32_t i = 0; i < 8; ++i)
      if (t.at[lane] >> i & 1)
        r.at[lane] |= (i & 4 ? a.at[lane] : ~a.at[lane]) &
                      (i & 2 ? b.at[lane] : ~b.at[lane]) &
                      (i & 1 ? c.at[lane] : ~c.at[lane]);
  }
  write(warp, ops[0], r, mask,
        known(warp, ops[1]) & known(warp, ops[2]) & known(warp, ops[3]));
}

template <typename A, typename B>
uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
  for (uint32_t i = 0; i < 4; ++i)
    c += static_cast<uint32_t>(static_cast<A>(a >> (8 * i)) *
                               static_cast<B>(b >> (8 * i)));
  return c;
}

template <typename U>
void addWidth(Table &table, const std::string &width) {
  using S = std::make_signed_t<U>;
  addBinary<U, U, U, both<U>>(table, "and.b" + width);
  addBinary<U, U, U, either<U>>(table, "or.b" + width);
  addBinary<U, U, U, exclusive<U>>(table, "xor.b" + width);
  addUnary<U, U, inverse<U>>(table, "not.b" + width);
  addUnary<U, U, isZero<U>>(table, "cnot.b" + width);
  addBinary<U, U, uint32_t, left<U>>(table, "shl.b" + width);
  addBinary<U, U, uint32_t, right<U>>(table, "shr.b" + width);
  addBinary<U, U, uint32_t, right<U>>(table, "shr.u" + width);
  addBinary<S, S, uint32_t, right<S>>(table, "shr.s" + width);
  if constexpr (sizeof(U) >= 4) {
    static constexpr char kInsert[] = {letter<U>(), letter<U>(), letter<U>(),
                                       'w',         'w',         0};
    table["bfi.b" + width] = {inserts<U>, kInsert};
    addTernary<U, U, uint32_t, uint32_t, extract<U>>(table, "bfe.u" + width);
    addTernary<S, S, uint32_t, uint32_t, extract<S>>(table, "bfe.s" + width);
    addUnary<U, U, reverse<U>>(table, "brev.b" + width);
    addUnary<uint32_t, U, leadingZeros<U>>(table, "clz.b" + width);
    addUnary<uint32_t, U, population<U>>(table, "popc.b" + width);
    addUnary<uint32_t, U, highest<U, false>>(table, "bfind.u" + width);
    addUnary<uint32_t, S, highest<S, false>>(table, "bfind.s" + width);
    addUnary<uint32_t, U, highest<U, true>>(table, "bfind.shiftamt.u" + width);
    addUnary<uint32_t, S, highest<S, true>>(table, "bfind.shiftamt.s" + width);
  }
}

template <bool toLeft, bool wraps>
void addFunnel(Table &table, const std::string &name) {
  addTernary<uint32_t, uint32_t, uint32_t, uint32_t, funnel<toLeft, wraps>>(
      table, name);
}

template <typename A, typename B>
void addDot(Table &table, const std::string &types) {
  addTernary<uint32_t, uint32_t, uint32_t, uint32_t, dot4<A, B>>(
      table, "dp4a" + types);
}

} // namespace

void smp::emulator::addBits(Table &table) {
  addWidth<uint16_t>(table, "16");
  addWidth<uint32_t>(table, "32");
  addWidth<uint64_t>(table, "64");
  table["and.pred"] = {predicates<Logic::And>, "ppp"};
  table["or.pred"] = {predicates<Logic::Or>, "ppp"};
  table["xor.pred"] = {predicates<Logic::Xor>, "ppp"};
  table["not.pred"] = {predicates<Logic::Not>, "pp"};
  addFunnel<true, true>(table, "shf.l.wrap.b32");
  addFunnel<true, false>(table, "shf.l.clamp.b32");
  addFunnel<false, true>(table, "shf.r.wrap.b32");
  addFunnel<false, false>(table, "shf.r.clamp.b32");
  addTernary<uint32_t, uint32_t, uint32_t, uint32_t, permute>(table,
                                                              "prmt.b32");
  table["lop3.b32"] = {anyLogic, "wwwww"};
  addDot<uint8_t, uint8_t>(table, ".u32.u32");
  addDot<int8_t, int8_t>(table, ".s32.s32");
  addDot<uint8_t, int8_t>(table, ".u32.s32");
  addDot<int8_t, uint8_t>(table, ".s32.u32");
}
