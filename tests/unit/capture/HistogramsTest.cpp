// SPDX-License-Identifier: Apache-2.0
// Histograms are those that TensorFlow makes.
#include "Histograms.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;

using Numbers = std::vector<double>;

static std::optional<Histogram> histogramOf(const Numbers &numbers) {
  return histogramOf(DType::F64, std::as_bytes(std::span(numbers)));
}

// What HistogramSummary of TensorFlow 2.21 made of the same numbers.
TEST(Histograms, HaveTheBinsOfTensorFlow) {
  const auto made =
      histogramOf(Numbers{-2.5, -1e-13, 0, 0, 1e-12, 0.5, 0.5, 3e19, 1e30});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->min, -2.5);
  EXPECT_EQ(made->max, 1e30);
  EXPECT_EQ(made->count, 9u);
  EXPECT_EQ(made->sum, 1.00000000003e+30);
  EXPECT_EQ(made->sumOfSquares, 1.0000000000000001e+60);
  EXPECT_EQ(
      made->limits,
      (Numbers{-2.6170109961884593, -2.379100905625872, -1e-12, 0, 1e-12,
               1.1000000000000002e-12, 0.47069243095356195, 0.5177616740489182,
               2.873695317012866e+19, 3.1610648487141528e+19,
               9.920775621859783e+19, 1.7976931348623157e+308}));
  EXPECT_EQ(made->counts, (Numbers{0, 1, 0, 1, 2, 1, 0, 2, 0, 1, 0, 1}));
}

TEST(Histograms, EndWithOneEmptyBin) {
  const auto made = histogramOf(Numbers{1, 1, 1.05});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->limits,
            (Numbers{0.917246389039776, 1.0089710279437536, 1.109868130738129,
                     1.7976931348623157e+308}));
  EXPECT_EQ(made->counts, (Numbers{0, 2, 1, 0}));
}

TEST(Histograms, CountWhatIsFinite) {
  const auto made = histogramOf(Numbers{NAN, 2, INFINITY, -INFINITY});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->count, 1u);
  EXPECT_EQ(made->sum, 2);
  EXPECT_FALSE(histogramOf(Numbers{NAN, INFINITY}));
  EXPECT_FALSE(histogramOf(Numbers{}));
}

TEST(Histograms, HaveTheLargestNumbers) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto made = histogramOf(Numbers{-kMost, kMost});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->counts.back(), 1);
  EXPECT_EQ(made->limits.back(), kMost);
}

TEST(Histograms, AreOfAllTypesButBooleans) {
  const int8_t whole[] = {-3, 4};
  const auto made = histogramOf(DType::I8, std::as_bytes(std::span(whole)));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->min, -3);
  EXPECT_EQ(made->max, 4);
  EXPECT_FALSE(histogramOf(DType::Bool, std::as_bytes(std::span(whole))));
}
