// SPDX-License-Identifier: Apache-2.0
// cvt and 16-bit floats. The oracle looks for the nearest of all 65536 values.
#include "Machine.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace smp::emulator;

namespace {

constexpr uint32_t kSeed = 31;

double valueOf(uint16_t bits, int exponentBits) {
  const int fractionBits = 15 - exponentBits;
  const int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
  const double fraction = bits & ((1 << fractionBits) - 1);
  const int bias = (1 << (exponentBits - 1)) - 1;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction ? NAN : sign * INFINITY;
  const double whole = exponent ? fraction + (1 << fractionBits) : fraction;
  return sign * std::ldexp(whole, std::max(exponent, 1) - bias - fractionBits);
}

/// The bits of the value nearest to `x`, ties to even.
uint16_t nearest(long double x, int exponentBits) {
  if (x != x)
    return 0x7fff;
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const long double magnitude = std::fabs(x);
  const int fractionBits = 15 - exponentBits;
  const uint16_t infinity =
      static_cast<uint16_t>(((1 << exponentBits) - 1) << fractionBits);
  uint16_t low = 0, high = infinity;
  while (high - low > 1) { // valueOf(low) <= magnitude
    const uint16_t middle = static_cast<uint16_t>((low + high) / 2);
    (valueOf(middle, exponentBits) <= magnitude ? low : high) = middle;
  }
  const double ulp =
      valueOf(low, exponentBits) - valueOf(low ? low - 1 : 0, exponentBits);
  const long double up = high == infinity
                             ? valueOf(low, exponentBits) + (long double)ulp
                             : valueOf(high, exponentBits);
  const long double below = magnitude - valueOf(low, exponentBits);
  const long double above = up - magnitude;
  return sign | (below < above || (below == above && !(low & 1)) ? low : high);
}

std::vector<uint16_t> randomHalves(uint32_t which) {
  std::mt19937 random(kSeed + which);
  std::vector<uint16_t> values(4096);
  for (uint16_t &value : values)
    value = static_cast<uint16_t>(random());
  return values;
}

std::string halves(const std::string &operation, int operands) {
  std::string body = "mul.wide.s32 %rd30, %r1, 2;\n",
              line = operation + " %h10";
  for (int i = 1; i <= operands; ++i) {
    body += "add.s64 %rd31, %rd30, %rd" + std::to_string(i) +
            "; ld.global.b16 %h" + std::to_string(i) + ", [%rd31];\n";
    line += ", %h" + std::to_string(i);
  }
  return kernelOf(4, body + line +
                         ";\nadd.s64 %rd31, %rd30, %rd4; st.global.b16 "
                         "[%rd31], %h10;");
}

void check16(const std::string &operation, int operands, int exponentBits,
             long double (*oracle)(long double, long double, long double)) {
  SCOPED_TRACE(operation + ", seed " + std::to_string(kSeed));
  Machine machine(halves(operation, operands));
  ASSERT_TRUE(machine.module) << machine.error;
  const auto a = randomHalves(1), b = randomHalves(2), c = randomHalves(3);
  const uint64_t out = machine.raw(a.size() * 2);
  const LaunchResult result = machine.run(
      "k", {uint32_t(a.size() / 128)}, {128},
      {machine.buffer(a), machine.buffer(b), machine.buffer(c), out});
  ASSERT_FALSE(result.fault) << result.fault->message;
  const auto r = machine.values<uint16_t>(out, a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = valueOf(a[i], exponentBits),
                 y = valueOf(b[i], exponentBits),
                 z = valueOf(c[i], exponentBits);
    ASSERT_EQ(r[i], nearest(oracle(x, y, z), exponentBits))
        << x << " " << y << " " << z;
  }
}

using L = long double;

TEST(Conversion, HalfArithmeticIsRoundedOnce) {
  for (const auto &[type, exponentBits] :
       {std::pair(".f16", 5), std::pair(".bf16", 8)}) {
    const std::string name = type;
    check16("add.rn" + name, 2, exponentBits,
            [](L a, L b, L) { return a + b; });
    check16("sub.rn" + name, 2, exponentBits,
            [](L a, L b, L) { return a - b; });
    check16("mul.rn" + name, 2, exponentBits,
            [](L a, L b, L) { return a * b; });
  }
  check16("fma.rn.f16", 3, 5, [](L a, L b, L c) { return a * b + c; });
}

// 7 * 73/256 is in the middle of two bf16; what is added decides, however
// small.
TEST(Conversion, FusedBrainFloatsSeeWhatIsLost) {
  Machine machine(halves("fma.rn.bf16", 3));
  ASSERT_TRUE(machine.module) << machine.error;
  const std::vector<uint16_t> a(2, 0x40e0), b(2, 0x3e92); // 7, 73/256
  const std::vector<uint16_t> c = {0x0080, 0x8080};       // 2^-126, -2^-126
  const uint64_t out = machine.raw(4);
  ASSERT_FALSE(
      machine
          .run("k", {1}, {2},
               {machine.buffer(a), machine.buffer(b), machine.buffer(c), out})
          .fault);
  const auto r = machine.values<uint16_t>(out, 2);
  EXPECT_EQ(r[0], 0x4000);
  EXPECT_EQ(r[1], 0x3fff);
}

template <typename S, typename D>
std::vector<D> convert(const std::string &types, const std::vector<S> &from) {
  const auto letter = [](size_t bytes) {
    return bytes == 8 ? "%d" : bytes == 4 ? "%f" : "%h";
  };
  const std::string in = std::to_string(8 * sizeof(S)),
                    out = std::to_string(8 * sizeof(D));
  Machine machine(kernelOf(
      2, "mul.wide.s32 %rd30, %r1, " + std::to_string(sizeof(S)) +
             "; add.s64 %rd30, %rd30, %rd1; ld.global.b" + in + " " +
             letter(sizeof(S)) + "1, [%rd30];\ncvt" + types + " " +
             letter(sizeof(D)) + "2, " + letter(sizeof(S)) +
             "1;\nmul.wide.s32 %rd30, %r1, " + std::to_string(sizeof(D)) +
             "; add.s64 %rd30, %rd30, %rd2; st.global.b" + out + " [%rd30], " +
             letter(sizeof(D)) + "2;"));
  EXPECT_TRUE(machine.module) << machine.error;
  const uint64_t to = machine.raw(from.size() * sizeof(D));
  const LaunchResult result = machine.run("k", {1}, {uint32_t(from.size())},
                                          {machine.buffer(from), to});
  EXPECT_FALSE(result.fault) << result.fault->message;
  return machine.values<D>(to, from.size());
}

TEST(Conversion, FloatsToIntegersSaturate) {
  const std::vector<float> from = {0.5f,  1.5f, -1.5f,    2.5f, 3e9f,
                                   -3e9f, NAN,  INFINITY, 1.9f, -0.1f};
  EXPECT_EQ((convert<float, int32_t>(".rzi.s32.f32", from)),
            (std::vector<int32_t>{0, 1, -1, 2, INT32_MAX, INT32_MIN, 0,
                                  INT32_MAX, 1, 0}));
  EXPECT_EQ((convert<float, int32_t>(".rni.s32.f32", from)),
            (std::vector<int32_t>{0, 2, -2, 2, INT32_MAX, INT32_MIN, 0,
                                  INT32_MAX, 2, 0}));
  EXPECT_EQ(
      (convert<float, uint32_t>(".rpi.u32.f32", from)),
      (std::vector<uint32_t>{1, 2, 0, 3, 3000000000u, 0, 0, UINT32_MAX, 2, 0}));
  EXPECT_EQ((convert<float, int64_t>(".rmi.s64.f32", {-1.5f, NAN, 1e30f})),
            (std::vector<int64_t>{-2, INT64_MIN, INT64_MAX}));
}

TEST(Conversion, IntegersToFloatsRoundAsAsked) {
  const std::vector<int32_t> from = {16777217, -16777217, 5, INT32_MIN};
  EXPECT_EQ((convert<int32_t, float>(".rn.f32.s32", from)),
            (std::vector<float>{16777216, -16777216, 5, -2147483648.0f}));
  EXPECT_EQ((convert<int32_t, float>(".rp.f32.s32", from)),
            (std::vector<float>{16777218, -16777216, 5, -2147483648.0f}));
  EXPECT_EQ((convert<int32_t, float>(".rz.f32.s32", from)),
            (std::vector<float>{16777216, -16777216, 5, -2147483648.0f}));
  EXPECT_EQ((convert<uint64_t, float>(".rz.f32.u64", {UINT64_MAX, 3})),
            (std::vector<float>{0x1.fffffep63f, 3}));
  EXPECT_EQ((convert<int32_t, uint16_t>(".rn.f16.s32", {1, 65519, 65520, -3})),
            (std::vector<uint16_t>{0x3c00, 0x7bff, 0x7c00, 0xc200}));
}

TEST(Conversion, BetweenFloats) {
  EXPECT_EQ((convert<double, float>(".rn.f32.f64", {1 + 0x1p-24, -1e300, 0.1})),
            (std::vector<float>{1, -INFINITY, 0.1f}));
  EXPECT_EQ((convert<double, float>(".rz.f32.f64", {1e300, 1 + 0x1.8p-24})),
            (std::vector<float>{0x1.fffffep127f, 1}));
  EXPECT_EQ((convert<double, float>(".rp.f32.f64", {1 + 0x1p-40, 0})),
            (std::vector<float>{1 + 0x1p-23f, 0}));
  EXPECT_EQ((convert<float, uint16_t>(".rz.bf16.f32", {1.999f, -1.999f})),
            (std::vector<uint16_t>{0x3fff, 0xbfff}));
  EXPECT_EQ((convert<float, float>(".rni.f32.f32", {2.5f, -0.5f, 3.7f})),
            (std::vector<float>{2, 0, 4}));
  EXPECT_EQ((convert<float, float>(".sat.f32.f32", {2.5f, -0.5f, NAN, 0.25f})),
            (std::vector<float>{1, 0, 0, 0.25f}));
}

TEST(Conversion, AllHalvesComeBack) {
  std::vector<uint16_t> part(512);
  for (uint32_t start = 0; start < 65536; start += 512) {
    for (uint32_t i = 0; i < 512; ++i)
      part[i] = static_cast<uint16_t>(start + i);
    const auto wide = convert<uint16_t, float>(".f32.f16", part);
    const auto back = convert<float, uint16_t>(".rn.f16.f32", wide);
    for (uint32_t i = 0; i < 512; ++i) {
      const double value = valueOf(part[i], 5);
      ASSERT_TRUE(value == wide[i] || (value != value && wide[i] != wide[i]));
      ASSERT_TRUE(back[i] == part[i] || (value != value && back[i] == 0x7fff));
    }
  }
}

TEST(Conversion, IntegersAreCutAndExtended) {
  EXPECT_EQ((convert<int32_t, int64_t>(".s64.s32", {-5, 7})),
            (std::vector<int64_t>{-5, 7}));
  EXPECT_EQ((convert<int32_t, int64_t>(".u64.u32", {-5, 7})),
            (std::vector<int64_t>{0xfffffffbll, 7}));
  EXPECT_EQ((convert<int32_t, int32_t>(".s32.s8", {0x1ff, 0x17f})),
            (std::vector<int32_t>{-1, 127}));
  EXPECT_EQ((convert<int32_t, int16_t>(".sat.s16.s32", {70000, -70000, 3})),
            (std::vector<int16_t>{32767, -32768, 3}));
  EXPECT_EQ((convert<int32_t, int16_t>(".u16.u32", {0x12345678, -1})),
            (std::vector<int16_t>{0x5678, -1}));
}

} // namespace
