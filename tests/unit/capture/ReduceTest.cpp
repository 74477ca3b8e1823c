// SPDX-License-Identifier: Apache-2.0
// Reductions against numbers computed by numpy from the flattened array.
#include "smp/model/Reduce.h"
#include "ReductionNames.h"
#include "smp/model/TensorStatistics.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace smp;

static double of(const std::string &name, std::initializer_list<float> values) {
  return reduce(*parseReduction(name), DType::F32,
                std::as_bytes(std::span(values.begin(), values.size())));
}

TEST(Reduce, IsWhatNumpySays) {
  const std::initializer_list<float> x = {1, -2, 3, -4, 0.5f, 0.25f};
  const std::pair<const char *, double> expected[] = {
      {"min", -4},
      {"max", 3},
      {"mean", -1.25 / 6},
      {"variance", 5.0086805555555554},
      {"std", 2.2380081669992973},
      {"sum", -1.25},
      {"prod", 3},
      {"l1_norm", 10.75},
      {"l2_norm", 5.50567888638631},
      {"abs_min", 0.25},
      {"abs_max", 4},
      {"abs_mean", 10.75 / 6},
      {"abs_variance", 1.8420138888888886},
      {"abs_sum", 10.75},
      {"abs_prod", 3},
      {"abs_l1_norm", 10.75},
      {"median", 0.375},
      {"abs_median", 1.5},
      {"quantile_0", -4},
      {"quantile_0.05", -3.5},
      {"quantile_0.75", 0.875},
      {"quantile_1", 3},
      {"abs_quantile_0.9", 3.5},
  };
  for (const auto &[name, value] : expected)
    EXPECT_NEAR(of(name, x), value, 1e-14 * std::abs(value)) << name;
  for (const char *name : {"min", "max", "mean", "std", "sum", "prod",
                           "l2_norm", "median", "quantile_1"})
    EXPECT_TRUE(std::isnan(of(name, {1, NAN, 2}))) << name;
  EXPECT_TRUE(std::isnan(of("max", {NAN, 1})));
}

TEST(Reduce, CountsWhatIsNoNumber) {
  const std::initializer_list<float> x = {1, NAN, -INFINITY, INFINITY,
                                          0, NAN, -NAN};
  for (const char *prefix : {"", "abs_"}) {
    EXPECT_EQ(of(prefix + std::string("nan_count"), x), 3) << prefix;
    EXPECT_EQ(of(prefix + std::string("inf_count"), x), 2) << prefix;
    EXPECT_EQ(of(prefix + std::string("nan_count"), {1, 2}), 0) << prefix;
  }
  TensorStatistics all;
  all.count = 7, all.nans = 3, all.infs = 2;
  for (const char *name : {"nan_count", "inf_count"})
    EXPECT_EQ(reduce(*parseReduction(name), all), of(name, x)) << name;
}

/// Of elements that are sorted, numpy's formula can be followed by eye.
TEST(Reduce, QuantilesOfRandomElements) {
  const auto seed = std::random_device()();
  std::mt19937 random(seed);
  for (size_t count = 1; count <= 64; ++count) {
    std::vector<double> values(count);
    for (double &value : values)
      value = double(int32_t(random() % 20)) - 10; // Some are equal.
    const double q = double(random() % 1001) / 1000;
    TensorReduction quantile{TensorReduction::Kind::Quantile};
    quantile.quantile = q;
    const double found =
        reduce(quantile, DType::F64, std::as_bytes(std::span(values)));
    std::ranges::sort(values);
    const double place = q * double(count - 1);
    const auto low = size_t(place);
    const double high = values[std::min(low + 1, count - 1)];
    EXPECT_NEAR(found,
                values[low] + (place - double(low)) * (high - values[low]),
                1e-12)
        << count << " elements, quantile " << q << ", seed " << seed;
  }
}

TEST(Reduce, NamesAreThoseThatAreParsed) {
  for (const char *name : {"min", "abs_l1_norm", "median", "quantile_0.05",
                           "abs_quantile_0.999", "quantile_1"})
    EXPECT_EQ(toString(*parseReduction(name)), name);
  EXPECT_EQ(toString(*parseReduction("quantile_0.50")), "median");
  for (const char *name :
       {"", "abs_", "quantile_", "quantile_1.01", "quantile_-0.1",
        "quantile_nan", "quantile_0.5x", "quantile_ 0.5", "medians", "l1"}) {
    const auto reduction = parseReduction(name);
    ASSERT_FALSE(reduction.ok()) << name;
    EXPECT_NE(reduction.status().message().find("quantile_0.05"),
              std::string::npos);
  }
}

TEST(Reduce, IsStoredUnderTheNameThatReadersKnow) {
  EXPECT_EQ(storedName(*parseReduction("abs_l2_norm"), "a/b:0"),
            "smdebug/reductions/abs_l2/a/b:0");
  EXPECT_EQ(storedName(*parseReduction("mean"), "a"),
            "smdebug/reductions/mean/a");
  EXPECT_EQ(storedName(*parseReduction("abs_quantile_0.25"), "a"),
            "smdebug/reductions/abs_quantile_0.25/a");
}
