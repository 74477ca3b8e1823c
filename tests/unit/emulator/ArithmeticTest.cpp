// SPDX-License-Identifier: Apache-2.0
// Instructions that compute, against C++, with random and special operands.
#include "Machine.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace smp::emulator;

namespace {

constexpr uint32_t kSeed = 20;
constexpr size_t kCount = 2048;

/// Random bits, half of them special.
template <typename T>
std::vector<T> operandsOf(uint32_t which) {
  std::mt19937_64 random(kSeed + which);
  std::vector<T> values(kCount);
  const T special[] = {T(0),
                       T(1),
                       T(2),
                       static_cast<T>(-1),
                       T(5),
                       T(31),
                       T(33),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::lowest()};
  for (T &value : values) {
    const uint64_t bits = random();
    if (random() % 2)
      value = special[bits % std::size(special)];
    else
      std::memcpy(&value, &bits, sizeof(value));
  }
  return values;
}

/// A letter for registers of the width, as kernelOf() declares them.
template <typename T>
std::string registerOf(int number) {
  return (sizeof(T) == 8   ? "%d"
          : sizeof(T) == 4 ? "%f"
                           : "%h") +
         std::to_string(number);
}

template <typename T>
std::string load(int number, int from) {
  const std::string bits = std::to_string(8 * sizeof(T));
  return "mul.wide.s32 %rd30, %r1, " + std::to_string(sizeof(T)) +
         "; add.s64 %rd30, %rd30, %rd" + std::to_string(from) +
         "; ld.global.b" + bits + " " + registerOf<T>(number) + ", [%rd30];\n";
}

template <typename T>
std::string store(int number, int to) {
  const std::string bits = std::to_string(8 * sizeof(T));
  return "mul.wide.s32 %rd30, %r1, " + std::to_string(sizeof(T)) +
         "; add.s64 %rd30, %rd30, %rd" + std::to_string(to) + "; st.global.b" +
         bits + " [%rd30], " + registerOf<T>(number) + ";\n";
}

template <typename T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

/// `name r, a, b, c` for all operands gives what `oracle` gives.
template <typename R, typename A, typename B, typename C>
void check(const std::string &name, const std::function<R(A, B, C)> &oracle) {
  SCOPED_TRACE(name + ", seed " + std::to_string(kSeed));
  const auto a = operandsOf<A>(1);
  const auto b = operandsOf<B>(2);
  const auto c = operandsOf<C>(3);
  const auto commas = std::count(name.begin(), name.end(), ',');
  std::string line = name.substr(0, name.find(',')) + " " + registerOf<R>(10) +
                     ", " + registerOf<A>(1);
  line += commas > 0 ? ", " + registerOf<B>(2) : "";
  line += commas > 1 ? ", " + registerOf<C>(3) : "";
  Machine machine(kernelOf(4, load<A>(1, 1) + load<B>(2, 2) + load<C>(3, 3) +
                                  line + ";\n" + store<R>(10, 4)));
  ASSERT_TRUE(machine.module) << machine.error;
  const uint64_t out = machine.raw(kCount * sizeof(R));
  const LaunchResult result = machine.run(
      "k", {kCount / 128}, {128},
      {machine.buffer(a), machine.buffer(b), machine.buffer(c), out});
  ASSERT_FALSE(result.fault) << result.fault->message;
  const std::vector<R> r = machine.values<R>(out, kCount);
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_TRUE(same<R>(r[i], oracle(a[i], b[i], c[i])))
        << +a[i] << " " << +b[i] << " " << +c[i] << " gives " << +r[i]
        << ", not " << +oracle(a[i], b[i], c[i]);
}

// A comma in the name for each operand after the first.
template <typename R, typename A>
void unary(const std::string &name,
           std::type_identity_t<std::function<R(A)>> oracle) {
  check<R, A, A, A>(name, [&](A a, A, A) { return oracle(a); });
}
template <typename R, typename A, typename B = A>
void binary(const std::string &name,
            std::type_identity_t<std::function<R(A, B)>> oracle) {
  check<R, A, B, A>(name + ",", [&](A a, B b, A) { return oracle(a, b); });
}
template <typename R, typename A, typename B = A, typename C = A>
void ternary(const std::string &name,
             std::type_identity_t<std::function<R(A, B, C)>> oracle) {
  check<R, A, B, C>(name + ",,", oracle);
}

template <typename T, typename Wide>
void integers(const std::string &type) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T);
  binary<T, T>("add" + type, [](T a, T b) { return T(U(a) + U(b)); });
  binary<T, T>("sub" + type, [](T a, T b) { return T(U(a) - U(b)); });
  binary<T, T>("mul.lo" + type, [](T a, T b) { return T(Wide(a) * b); });
  binary<T, T>("mul.hi" + type,
               [](T a, T b) { return T(Wide(a) * b >> kBits); });
  ternary<T, T>("mad.lo" + type,
                [](T a, T b, T c) { return T(Wide(a) * b + c); });
  binary<T, T>("min" + type, [](T a, T b) { return std::min(a, b); });
  binary<T, T>("max" + type, [](T a, T b) { return std::max(a, b); });
  binary<T, T>("div" + type,
               [](T a, T b) { return b == 0 ? T(-1) : T(Wide(a) / b); });
  binary<T, T>("rem" + type,
               [](T a, T b) { return b == 0 ? a : T(Wide(a) % b); });
  ternary<T, T>("sad" + type, [](T a, T b, T c) {
    return T(Wide(c) + (a < b ? Wide(b) - a : Wide(a) - b));
  });
}

TEST(Arithmetic, Integers) {
  integers<uint16_t, uint32_t>(".u16");
  integers<int16_t, int32_t>(".s16");
  integers<uint32_t, uint64_t>(".u32");
  integers<int32_t, int64_t>(".s32");
  integers<uint64_t, unsigned __int128>(".u64");
  integers<int64_t, __int128>(".s64");
  unary<int32_t, int32_t>("neg.s32", [](int32_t a) { return int32_t(0u - a); });
  unary<int64_t, int64_t>(
      "abs.s64", [](int64_t a) { return a < 0 ? int64_t(0ull - a) : a; });
}

TEST(Arithmetic, WideProducts) {
  binary<uint64_t, uint32_t>(
      "mul.wide.u32", [](uint32_t a, uint32_t b) { return uint64_t(a) * b; });
  binary<int64_t, int32_t>("mul.wide.s32",
                           [](int32_t a, int32_t b) { return int64_t(a) * b; });
  binary<int32_t, int16_t>("mul.wide.s16",
                           [](int16_t a, int16_t b) { return int32_t(a) * b; });
  ternary<uint64_t, uint32_t, uint32_t, uint64_t>(
      "mad.wide.u32",
      [](uint32_t a, uint32_t b, uint64_t c) { return uint64_t(a) * b + c; });
}

template <typename T>
T shifted(T a, uint32_t by, bool left) {
  if (by >= 8 * sizeof(T))
    return !left && a < T(0) ? T(-1) : T(0);
  return left ? T(a << by) : T(a >> by);
}

TEST(Arithmetic, Bits) {
  binary<uint32_t, uint32_t>("and.b32",
                             [](uint32_t a, uint32_t b) { return a & b; });
  binary<uint64_t, uint64_t>("xor.b64",
                             [](uint64_t a, uint64_t b) { return a ^ b; });
  binary<uint16_t, uint16_t>(
      "or.b16", [](uint16_t a, uint16_t b) { return uint16_t(a | b); });
  unary<uint16_t, uint16_t>("not.b16", [](uint16_t a) { return uint16_t(~a); });
  binary<uint32_t, uint32_t>(
      "shl.b32", [](uint32_t a, uint32_t b) { return shifted(a, b, true); });
  binary<int32_t, int32_t, uint32_t>(
      "shr.s32", [](int32_t a, uint32_t b) { return shifted(a, b, false); });
  binary<uint64_t, uint64_t, uint32_t>(
      "shr.u64", [](uint64_t a, uint32_t b) { return shifted(a, b, false); });
  binary<int16_t, int16_t, uint32_t>(
      "shr.s16", [](int16_t a, uint32_t b) { return shifted(a, b, false); });
  unary<uint32_t, uint64_t>("clz.b64", [](uint64_t a) {
    return a ? uint32_t(__builtin_clzll(a)) : 64u;
  });
  unary<uint32_t, uint32_t>(
      "popc.b32", [](uint32_t a) { return uint32_t(__builtin_popcount(a)); });
  unary<uint32_t, uint32_t>(
      "brev.b32", [](uint32_t a) { return __builtin_bitreverse32(a); });
  ternary<uint32_t, uint32_t>(
      "shf.l.wrap.b32", [](uint32_t a, uint32_t b, uint32_t c) {
        return c & 31 ? b << (c & 31) | a >> (32 - (c & 31)) : b;
      });
  ternary<uint32_t, uint32_t>(
      "shf.r.clamp.b32", [](uint32_t a, uint32_t b, uint32_t c) {
        return c >= 32 ? b : c ? a >> c | b << (32 - c) : a;
      });
  ternary<uint32_t, uint32_t>(
      "bfe.u32", [](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t r = 0;
        for (uint32_t i = 0; i < 32 && i < (c & 255) && i + (b & 255) < 32; ++i)
          r |= (a >> (i + (b & 255)) & 1) << i;
        return r;
      });
  ternary<int32_t, int32_t, uint32_t, uint32_t>(
      "bfe.s32", [](int32_t a, uint32_t b, uint32_t c) {
        b &= 255, c &= 255;
        const uint32_t sign = c ? a >> std::min(b + c - 1, 31u) & 1 : 0;
        uint32_t r = 0;
        for (uint32_t i = 0; i < 32; ++i)
          r |= (i < c && i + b < 32 ? a >> (i + b) & 1 : sign) << i;
        return int32_t(r);
      });
  ternary<uint32_t, uint32_t>("prmt.b32", [](uint32_t a, uint32_t b,
                                             uint32_t c) {
    uint32_t r = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t n = c >> (4 * i) & 15, k = n & 7;
      const uint32_t byte = (k < 4 ? a >> (8 * k) : b >> (8 * k - 32)) & 255;
      r |= (n & 8 ? (byte >> 7) * 255 : byte) << (8 * i);
    }
    return r;
  });
}

template <typename T>
void floats(const std::string &type) {
  binary<T, T>("add.rn" + type, [](T a, T b) { return a + b; });
  binary<T, T>("sub.rn" + type, [](T a, T b) { return a - b; });
  binary<T, T>("mul.rn" + type, [](T a, T b) { return a * b; });
  binary<T, T>("div.rn" + type, [](T a, T b) { return a / b; });
  ternary<T, T>("fma.rn" + type,
                [](T a, T b, T c) { return std::fma(a, b, c); });
  unary<T, T>("sqrt.rn" + type, [](T a) { return std::sqrt(a); });
  unary<T, T>("rcp.rn" + type, [](T a) { return 1 / a; });
  unary<T, T>("neg" + type, [](T a) { return -a; });
  unary<T, T>("abs" + type, [](T a) { return std::fabs(a); });
  binary<T, T>("min" + type, [](T a, T b) { return std::fmin(a, b); });
  binary<T, T>("max" + type, [](T a, T b) { return std::fmax(a, b); });
  binary<T, T>("max.NaN" + type, [](T a, T b) {
    return a != a || b != b ? T(NAN) : std::fmax(a, b);
  });
  binary<T, T>("copysign" + type, [](T a, T b) { return std::copysign(b, a); });
}

TEST(Arithmetic, Floats) {
  floats<float>(".f32");
  floats<double>(".f64");
}

TEST(Arithmetic, ZerosHaveAnOrder) {
  Machine machine(kernelOf(1,
                           "mov.b32 %f1, 0f80000000; mov.b32 %f2, 0f00000000;\n"
                           "min.f32 %f3, %f2, %f1; max.f32 %f4, %f1, %f2;\n"
                           "st.global.v2.b32 [%rd1], {%f3, %f4};"));
  const uint64_t out = machine.raw(8);
  ASSERT_FALSE(machine.run("k", {1}, {1}, {out}).fault);
  EXPECT_EQ(machine.values<uint32_t>(out, 2),
            (std::vector<uint32_t>{0x80000000, 0}));
}

TEST(Arithmetic, CarriesMakeLongNumbers) {
  Machine machine(kernelOf(
      1, "add.cc.u32 %r2, -1, 2; addc.cc.u32 %r3, -1, 0; addc.u32 %r4, 5, 0;\n"
         "sub.cc.u32 %r5, 0, 1; subc.u32 %r6, 7, 0;\n"
         "st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r6};"));
  const uint64_t out = machine.raw(16);
  ASSERT_FALSE(machine.run("k", {1}, {1}, {out}).fault);
  EXPECT_EQ(machine.values<uint32_t>(out, 4),
            (std::vector<uint32_t>{1, 0, 6, 6}));
}

TEST(Arithmetic, Comparisons) {
  const auto compare = [](const std::string &name, auto zero, auto oracle) {
    using T = decltype(zero);
    SCOPED_TRACE(name);
    const auto a = operandsOf<T>(1), b = operandsOf<T>(2);
    Machine machine(kernelOf(
        3, load<T>(1, 1) + load<T>(2, 2) + "setp." + name + " %p1, " +
               registerOf<T>(1) + ", " + registerOf<T>(2) +
               ";\nselp.b32 %f10, 1, 0, %p1;\n" + store<float>(10, 3)));
    ASSERT_TRUE(machine.module) << machine.error;
    const uint64_t out = machine.raw(kCount * 4);
    ASSERT_FALSE(machine
                     .run("k", {kCount / 128}, {128},
                          {machine.buffer(a), machine.buffer(b), out})
                     .fault);
    const auto r = machine.values<uint32_t>(out, kCount);
    for (size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(r[i], uint32_t(oracle(a[i], b[i]))) << +a[i] << " " << +b[i];
  };
  compare("lt.s32", int32_t(), [](auto a, auto b) { return a < b; });
  compare("lo.u32", uint32_t(), [](auto a, auto b) { return a < b; });
  compare("hs.u64", uint64_t(), [](auto a, auto b) { return a >= b; });
  compare("ne.b16", uint16_t(), [](auto a, auto b) { return a != b; });
  compare("eq.f32", float(), [](auto a, auto b) { return a == b; });
  compare("ne.f32", float(), [](auto a, auto b) { return a < b || a > b; });
  compare("neu.f64", double(), [](auto a, auto b) { return a != b; });
  compare("gtu.f32", float(), [](auto a, auto b) { return !(a <= b); });
  compare("le.f64", double(), [](auto a, auto b) { return a <= b; });
  compare("nan.f32", float(), [](auto a, auto b) { return a != a || b != b; });
}

} // namespace
