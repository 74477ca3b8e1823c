// SPDX-License-Identifier: Apache-2.0
// Arithmetic of floats, by IEEE 754. Nothing here may be contracted or
// reordered.
#include "Apply.h"
#include "Numbers.h"

using namespace smp::emulator;

// The fused multiply-add is worth the processor's own instruction.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) &&                    \
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define SMP_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SMP_CLONES
#endif

SMP_CLONES static void fuseSingles(const float *a, const float *b,
                                   const float *c, float *r) {
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    r[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
}

SMP_CLONES static void fuseDoubles(const double *a, const double *b,
                                   const double *c, double *r) {
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    r[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
}

namespace {

void fuse(const float *a, const float *b, const float *c, float *r) {
  fuseSingles(a, b, c, r);
}
void fuse(const double *a, const double *b, const double *c, double *r) {
  fuseDoubles(a, b, c, r);
}

template <typename T>
void fused(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto &ops = instruction.ops;
  const Lanes<T> a = read<T>(warp, ops[1]), b = read<T>(warp, ops[2]),
                 c = read<T>(warp, ops[3]);
  Lanes<T> r;
  fuse(a.at, b.at, c.at, r.at);
  for (T &value : r.at)
    value = result<T>(value);
  write(warp, ops[0], r, mask,
        known(warp, ops[1]) & known(warp, ops[2]) & known(warp, ops[3]));
}

// The product of two 16-bit floats is exact in a double. Where the sum is not,
// its last bit is made odd, so that rounding to 16 bits sees what was lost.
template <typename T>
T fuse16(T a, T b, T c) {
  const double x = double(widen(a)) * double(widen(b)), y = widen(c);
  const double sum = x + y;
  const double part = sum - x;
  const double lost = (x - (sum - part)) + (y - part);
  if (!(lost != 0) || std::isinf(sum))
    return result<T>(sum);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (!(bits & 1))
    bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return result<T>(std::bit_cast<double>(bits));
}

template <typename T>
T sum(T a, T b) {
  return result<T>(widen(a) + widen(b));
}
template <typename T>
T difference(T a, T b) {
  return result<T>(widen(a) - widen(b));
}
template <typename T>
T product(T a, T b) {
  return result<T>(widen(a) * widen(b));
}
template <typename T>
T quotient(T a, T b) {
  return result<T>(widen(a) / widen(b));
}
template <typename T>
T root(T a) {
  return result<T>(std::sqrt(a));
}
template <typename T>
T reciprocal(T a) {
  return result<T>(T(1) / a);
}

template <typename T>
auto bitsOf(T a) {
  if constexpr (sizeof(T) == 2)
    return a.bits;
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(a);
  else
    return std::bit_cast<uint64_t>(a);
}
template <typename T>
constexpr auto signBit() {
  using U = decltype(bitsOf(T()));
  return static_cast<U>(U(1) << (8 * sizeof(T) - 1));
}
template <typename T>
T fromBits(decltype(bitsOf(T())) bits) {
  return std::bit_cast<T>(bits);
}
template <typename T>
T negative(T a) {
  return fromBits<T>(bitsOf(a) ^ signBit<T>());
}
template <typename T>
T absolute(T a) {
  return fromBits<T>(bitsOf(a) & ~signBit<T>());
}
// Of PTX, the first operand gives the sign.
template <typename T>
T withSign(T sign, T magnitude) {
  return fromBits<T>((bitsOf(magnitude) & ~signBit<T>()) |
                     (bitsOf(sign) & signBit<T>()));
}

template <typename T, bool greatest, bool keepsNaN>
T extreme(T a, T b) {
  const auto x = widen(a), y = widen(b);
  if (x != x || y != y) {
    if (keepsNaN || (x != x && y != y))
      return result<T>(x + y);
    return x != x ? b : a;
  }
  if (x == y) // Of two zeros the negative one is less.
    return std::signbit(x) == greatest ? b : a;
  return (x < y) == greatest ? b : a;
}

template <typename T, auto op>
Pair<T> twice(Pair<T> a) {
  return {op(a.low), op(a.high)};
}
template <typename T, auto op>
Pair<T> twice(Pair<T> a, Pair<T> b) {
  return {op(a.low, b.low), op(a.high, b.high)};
}
template <typename T, auto op>
Pair<T> twice(Pair<T> a, Pair<T> b, Pair<T> c) {
  return {op(a.low, b.low, c.low), op(a.high, b.high, c.high)};
}

template <typename T, auto op>
void addOne(Table &table, const std::string &name, const std::string &type) {
  addUnary<T, T, op>(table, name + type);
  if constexpr (sizeof(T) == 2) {
    using P = Pair<T>;
    addUnary<P, P, static_cast<P (*)(P)>(twice<T, op>)>(table,
                                                        name + type + "x2");
  }
}

template <typename T, auto op>
void addTwo(Table &table, const std::string &name, const std::string &type) {
  addBinary<T, T, T, op>(table, name + type);
  if constexpr (sizeof(T) == 2) {
    using P = Pair<T>;
    addBinary<P, P, P, static_cast<P (*)(P, P)>(twice<T, op>)>(
        table, name + type + "x2");
  }
}

template <typename T>
void addType(Table &table, const std::string &type) {
  for (const char *rounding : {"", ".rn"}) {
    addTwo<T, sum<T>>(table, std::string("add") + rounding, type);
    addTwo<T, difference<T>>(table, std::string("sub") + rounding, type);
    addTwo<T, product<T>>(table, std::string("mul") + rounding, type);
  }
  addOne<T, negative<T>>(table, "neg", type);
  addOne<T, absolute<T>>(table, "abs", type);
  addTwo<T, extreme<T, false, false>>(table, "min", type);
  addTwo<T, extreme<T, true, false>>(table, "max", type);
  addTwo<T, extreme<T, false, true>>(table, "min.NaN", type);
  addTwo<T, extreme<T, true, true>>(table, "max.NaN", type);
  if constexpr (sizeof(T) >= 4) {
    static constexpr char kFused[] = {letter<T>(), letter<T>(), letter<T>(),
                                      letter<T>(), 0};
    table["fma.rn" + type] = table["mad.rn" + type] = {fused<T>, kFused};
    addBinary<T, T, T, quotient<T>>(table, "div.rn" + type);
    addUnary<T, T, root<T>>(table, "sqrt.rn" + type);
    addUnary<T, T, reciprocal<T>>(table, "rcp.rn" + type);
    addBinary<T, T, T, withSign<T>>(table, "copysign" + type);
  } else {
    using P = Pair<T>;
    addTernary<T, T, T, T, fuse16<T>>(table, "fma.rn" + type);
    addTernary<P, P, P, P, static_cast<P (*)(P, P, P)>(twice<T, fuse16<T>>)>(
        table, "fma.rn" + type + "x2");
  }
}

} // namespace

void smp::emulator::addFloats(Table &table) {
  addType<float>(table, ".f32");
  addType<double>(table, ".f64");
  addType<Half>(table, ".f16");
  addType<BHalf>(table, ".bf16");
}
