// SPDX-License-Identifier: Apache-2.0
#include "smp/model/TensorStatistics.h"
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace smp;

/// The sum of the squared differences from the mean.
static double spreadOf(std::span<const double> elements, bool ofAbsolute) {
  const auto at = [&](double x) -> long double {
    return ofAbsolute ? std::abs(x) : x;
  };
  long double sum = 0, squares = 0;
  for (const double x : elements)
    sum += at(x);
  const long double mean = sum / (long double)(elements.size());
  for (const double x : elements)
    squares += (at(x) - mean) * (at(x) - mean);
  return double(squares);
}

/// What a kernel gives, by definition.
static std::vector<double> recordsOf(std::span<const double> elements) {
  std::vector<double> records;
  for (; !elements.empty(); elements = elements.subspan(std::min(
                                elements.size(), size_t(kStatisticsBlock)))) {
    const auto block =
        elements.first(std::min(elements.size(), size_t(kStatisticsBlock)));
    std::array<double, kNumStatistics> record{};
    const auto at = [&](Statistic which) -> double & {
      return record[size_t(which)];
    };
    at(Statistic::Min) = at(Statistic::Max) = block[0];
    at(Statistic::AbsMin) = std::abs(block[0]);
    for (const double x : block) {
      const bool isNan = std::isnan(x);
      at(Statistic::Min) = isNan ? x : std::min(at(Statistic::Min), x);
      at(Statistic::Max) = isNan ? x : std::max(at(Statistic::Max), x);
      at(Statistic::AbsMin) =
          isNan ? x : std::min(at(Statistic::AbsMin), std::abs(x));
      at(Statistic::Sum) += x;
      at(Statistic::AbsSum) += std::abs(x);
      at(Statistic::SquareSum) += x * x;
      at(Statistic::Nans) += isNan;
      at(Statistic::Infs) += std::isinf(x);
    }
    at(Statistic::Spread) = spreadOf(block, false);
    at(Statistic::AbsSpread) = spreadOf(block, true);
    records.insert(records.end(), record.begin(), record.end());
  }
  return records;
}

static TensorStatistics of(std::span<const double> elements) {
  return TensorStatistics::of(recordsOf(elements), elements.size());
}

TEST(TensorStatistics, OfAFewNumbers) {
  const double elements[] = {3, -4, 0, 1};
  const TensorStatistics all = of(elements);
  EXPECT_EQ(all.count, 4u);
  EXPECT_EQ(all.min, -4);
  EXPECT_EQ(all.max, 3);
  EXPECT_EQ(all.absMin, 0);
  EXPECT_EQ(all.absMax, 4);
  EXPECT_EQ(all.sum, 0);
  EXPECT_EQ(all.mean(), 0);
  EXPECT_EQ(all.l1(), 8);
  EXPECT_EQ(all.absMean(), 2);
  EXPECT_EQ(all.variance(), 6.5);
  EXPECT_EQ(all.absVariance(), 2.5);
  EXPECT_EQ(all.stddev(), std::sqrt(6.5));
  EXPECT_EQ(all.absStddev(), std::sqrt(2.5));
  EXPECT_EQ(all.l2(), std::sqrt(26));
  EXPECT_EQ(all.nans, 0u);
  EXPECT_EQ(all.infs, 0u);
}

/// However far from zero the mean is, and however they are divided.
TEST(TensorStatistics, OfPartsAreThoseOfTheWhole) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::pair<double, double> cases[] = {
      {0, 1e-12}, {1, 1e-12}, {-1e4, 1e-10}, {1e7, 1e-7}};
  for (const auto &[mean, bound] : cases) {
    std::normal_distribution<double> normal(mean, 1);
    std::vector<double> elements(100000);
    for (double &x : elements)
      x = normal(random);
    TensorStatistics joined;
    for (size_t start = 0; start < elements.size();) {
      const size_t size =
          std::min<size_t>(1 + random() % 30000, elements.size() - start);
      joined.add(of(std::span(elements).subspan(start, size)));
      start += size;
    }
    const TensorStatistics whole = of(elements);
    const double variance = spreadOf(elements, false) / 1e5;
    EXPECT_NEAR(whole.variance(), variance, bound * variance) << mean;
    EXPECT_NEAR(joined.variance(), variance, bound * variance) << mean;
    const double absolute = spreadOf(elements, true) / 1e5;
    EXPECT_NEAR(whole.absVariance(), absolute, bound * absolute) << mean;
    EXPECT_NEAR(joined.absVariance(), absolute, bound * absolute) << mean;
    EXPECT_EQ(joined.count, elements.size());
    EXPECT_EQ(joined.min, whole.min);
    EXPECT_EQ(joined.max, whole.max);
    EXPECT_EQ(joined.absMin, whole.absMin);
    EXPECT_EQ(joined.absMax, whole.absMax);
    EXPECT_NEAR(joined.absSum, whole.absSum, 1e-12 * whole.absSum);
    EXPECT_NEAR(joined.squareSum, whole.squareSum, 1e-12 * whole.squareSum);
  }
}

TEST(TensorStatistics, KeepNansAndCountThem) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const double some[] = {1, nan, 2}, others[] = {-inf, 3};
  TensorStatistics all = of(others);
  EXPECT_EQ(all.min, -inf);
  EXPECT_EQ(all.absMax, inf);
  EXPECT_TRUE(std::isnan(all.variance()));
  EXPECT_EQ(all.infs, 1u);
  all.add(of(some));
  EXPECT_EQ(all.nans, 1u);
  EXPECT_EQ(all.infs, 1u);
  for (const double each : {all.min, all.max, all.absMin, all.absMax, all.sum,
                            all.variance(), all.absVariance(), all.l2()})
    EXPECT_TRUE(std::isnan(each));
}
