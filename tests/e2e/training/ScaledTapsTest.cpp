// SPDX-License-Identifier: Apache-2.0
// Where halves are trained with a scaled loss, gradients are shown as they are
// without the scale.
#include "TrainedBits.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

Bits shownIn(DType precision, int64_t partitions) {
  Division division;
  division.precision = precision;
  division.canBeWatched = true;
  division.view = StepView::Values;
  division.steps = 2;
  division.partitions = partitions;
  if (partitions == 2)
    division.devices = "cpu:0=0,cpu:1=1";
  return trained(division);
}

/// Of parameters and of values.
Bits gradientsOf(Bits bits) {
  std::erase_if(bits, [](const auto &each) {
    return !each.first.starts_with("step 0 value/gradient/") &&
           !each.first.starts_with("step 0 value/output_gradient/");
  });
  return bits;
}

std::vector<float> floatsOf(const std::vector<std::byte> &bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

double normOf(const std::vector<float> &x) {
  double squares = 0;
  for (const float each : x)
    squares += double(each) * each;
  return std::sqrt(squares);
}

TEST(ScaledTaps, GradientsAreWithoutTheScale) {
  const Bits halves = gradientsOf(shownIn(DType::F16, 1)),
             floats = gradientsOf(shownIn(DType::F32, 1));
  // Of those that are constants, conversions are shown.
  ASSERT_GE(halves.size(), floats.size());
  EXPECT_GE(floats.size(), 30u);
  for (const auto &[name, bytes] : floats) {
    ASSERT_TRUE(halves.contains(name)) << name;
    std::vector<float> wanted = floatsOf(bytes),
                       found = floatsOf(halves.at(name));
    ASSERT_EQ(wanted.size(), found.size()) << name;
    const double norm = normOf(wanted);
    for (size_t i = 0; i < wanted.size(); ++i)
      found[i] -= wanted[i];
    EXPECT_LE(normOf(found), 0.05 * norm) << name;
  }
}

TEST(ScaledTaps, AreTheSameHoweverTheTrainingIsDivided) {
  const Bits shown = shownIn(DType::F16, 1);
  EXPECT_EQ(shownIn(DType::F16, 2), shown);
}

TEST(ScaledTaps, ChangeNothing) {
  Bits shown = shownIn(DType::F16, 2);
  std::erase_if(shown, [](const auto &each) {
    return each.first.find(" statistics/") != each.first.npos ||
           each.first.find(" value/") != each.first.npos;
  });
  Division plain;
  plain.precision = DType::F16;
  plain.steps = 2;
  EXPECT_EQ(trained(plain), shown);
}

} // namespace
