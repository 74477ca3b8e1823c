// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Philox.h"
#include "smp/model/Float16.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace smp;

namespace {

template <typename T>
std::span<std::byte> bytesOf(std::vector<T> &values) {
  return {reinterpret_cast<std::byte *>(values.data()),
          values.size() * sizeof(T)};
}

// The known answers of the paper's reference code (Random123).
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0),
            (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, ~0ull),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   0x299f31d0a4093822ull),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(NormalPair, AgreesWithTheMathLibrary) {
  double worst = 0;
  for (uint32_t i = 0; i < 20000; ++i) {
    const PhiloxWords w = philox({i, 1, 2, 3}, 7);
    const auto pair = normalPair(w[0], w[1]);
    const double r =
        std::sqrt(-2 * std::log((double(w[0]) + 1) / 4294967296.0));
    const double angle = 2 * M_PI * (double(w[1]) / 4294967296.0);
    worst = std::max(worst, std::abs(pair[0] - r * std::cos(angle)));
    worst = std::max(worst, std::abs(pair[1] - r * std::sin(angle)));
  }
  EXPECT_LT(worst, 5e-15);
}

TEST(NormalPair, EdgesAreFinite) {
  EXPECT_EQ(normalPair(~0u, 0)[0], 0); // ln 1
  const auto far = normalPair(0, 0);
  EXPECT_NEAR(far[0], std::sqrt(64 * std::log(2.0)), 1e-14);
  EXPECT_EQ(far[1], 0);
  for (uint32_t eighth = 0; eighth < 8; ++eighth) {
    const auto pair = normalPair(0, eighth << 29);
    EXPECT_NEAR(pair[0], far[0] * std::cos(eighth * M_PI / 4), 1e-14);
    EXPECT_NEAR(pair[1], far[0] * std::sin(eighth * M_PI / 4), 1e-14);
  }
}

TEST(FillNormal, HasItsMeanAndDeviation) {
  std::vector<float> values(100001);
  fillNormal(bytesOf(values), DType::F32, 3.0, 2.0, 42);
  double sum = 0, squares = 0;
  for (float value : values)
    sum += value, squares += double(value) * value;
  const double mean = sum / 100001;
  EXPECT_NEAR(mean, 3.0, 0.03);
  EXPECT_NEAR(std::sqrt(squares / 100001 - mean * mean), 2.0, 0.03);
}

TEST(FillNormal, AnElementDoesNotDependOnHowManyThereAre) {
  std::vector<float> few(5), many(1000);
  fillNormal(bytesOf(few), DType::F32, 0, 1, 9);
  fillNormal(bytesOf(many), DType::F32, 0, 1, 9);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  std::vector<double> wide(5);
  fillNormal(bytesOf(wide), DType::F64, 0, 1, 9);
  EXPECT_EQ(float(wide[4]), few[4]);
}

TEST(FillUniform, StaysBelowItsUpperEnd) {
  std::vector<uint16_t> values(50000);
  fillUniform(bytesOf(values), DType::BF16, 1.0, 1.0078125, 3); // one step
  for (uint16_t bits : values)
    ASSERT_EQ(fromFloat16(bits, kBF16), 1.0);
  fillUniform(bytesOf(values), DType::F16, -1.0, 0.0, 3);
  for (uint16_t bits : values) {
    ASSERT_LT(fromFloat16(bits, kF16), 0.0);
    ASSERT_GE(fromFloat16(bits, kF16), -1.0);
  }
}

TEST(FillUniform, FollowsTheFormula) {
  std::vector<float> values(7);
  fillUniform(bytesOf(values), DType::F32, -2, 6, 0x123456789abcdef0ull);
  const PhiloxWords words = philox({1, 0, 0, 0}, 0x123456789abcdef0ull);
  EXPECT_EQ(values[6], float(-2 + 8 * (double(words[2]) / 4294967296.0)));
}

TEST(FillSplat, RoundsToTheType) {
  std::vector<int32_t> ints(3);
  fillSplat(bytesOf(ints), DType::I32, -2.9);
  EXPECT_EQ(ints, std::vector<int32_t>(3, -2));
  fillSplat(bytesOf(ints), DType::I32, 1e30);
  EXPECT_EQ(ints[0], 2147483647);
  std::vector<int64_t> longs(1);
  fillSplat(bytesOf(longs), DType::I64, 9.3e18);
  EXPECT_EQ(longs[0], std::numeric_limits<int64_t>::max());
  std::vector<uint8_t> small(2);
  fillSplat(bytesOf(small), DType::U8, -1);
  EXPECT_EQ(small[1], 0);
  fillSplat(bytesOf(small), DType::Bool, 0.25);
  EXPECT_EQ(small[0], 1);
  fillSplat(bytesOf(small), DType::U8, std::nan(""));
  EXPECT_EQ(small[0], 0);
  std::vector<uint16_t> half(1);
  fillSplat(bytesOf(half), DType::F16, 1.0);
  EXPECT_EQ(half[0], 0x3c00);
}

} // namespace
