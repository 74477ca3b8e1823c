// SPDX-License-Identifier: Apache-2.0
// Reductions against numbers computed by numpy from the flattened array.
#include "smp/model/Reduce.h"
#include "ReductionNames.h"
#include <cmath>
#include <gtest/gtest.h>

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
  };
  for (const auto &[name, value] : expected)
    EXPECT_NEAR(of(name, x), value, 1e-14 * std::abs(value)) << name;
  for (const char *name :
       {"min", "max", "mean", "std", "sum", "prod", "l2_norm"})
    EXPECT_TRUE(std::isnan(of(name, {1, NAN, 2}))) << name;
  EXPECT_TRUE(std::isnan(of("max", {NAN, 1})));
}

TEST(Reduce, IsStoredUnderTheNameThatReadersKnow) {
  EXPECT_EQ(storedName(*parseReduction("abs_l2_norm"), "a/b:0"),
            "smdebug/reductions/abs_l2/a/b:0");
  EXPECT_EQ(storedName(*parseReduction("mean"), "a"),
            "smdebug/reductions/mean/a");
}
