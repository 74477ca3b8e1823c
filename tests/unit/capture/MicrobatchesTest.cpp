// SPDX-License-Identifier: Apache-2.0
// Values are taken apart along any dimension.
#include "Microbatches.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace smp;

namespace {

std::vector<float> floatsOf(const StepValue &value) {
  const auto *first = reinterpret_cast<const float *>(value.bytes.data());
  return {first, first + value.bytes.size() / sizeof(float)};
}

TEST(Microbatches, AreTakenApartAlongEachDimension) {
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0f);
  const std::vector<int64_t> shape{2, 4, 3};
  const StepValue value{DType::F32, shape, std::as_bytes(std::span(values))};
  for (int32_t axis : {0, 1}) {
    Microbatches apart(value, {2, axis});
    for (uint32_t m = 0; m < 2; ++m) {
      const StepValue one = apart.at(m);
      std::vector<int64_t> expectedShape = shape;
      expectedShape[size_t(axis)] /= 2;
      EXPECT_EQ(std::vector(one.shape.begin(), one.shape.end()), expectedShape);
      std::vector<float> expected;
      for (size_t i = 0; i < 2; ++i)
        for (size_t j = 0; j < 4; ++j)
          for (size_t k = 0; k < 3; ++k)
            if ((axis == 0 ? i : j / 2) == m)
              expected.push_back(values[(i * 4 + j) * 3 + k]);
      EXPECT_EQ(floatsOf(one), expected) << axis << " " << m;
    }
  }
}

TEST(Microbatches, LoseTheDimensionThatNoneOfThemHas) {
  const float values[] = {1, 2, 3};
  const int64_t shape[] = {3};
  const StepValue value{DType::F32, shape, std::as_bytes(std::span(values))};
  Microbatches apart(value, {3, -1});
  EXPECT_TRUE(apart.at(1).shape.empty());
  EXPECT_EQ(floatsOf(apart.at(2)), std::vector<float>{3});
  EXPECT_EQ(microbatchName("loss", 2), "loss/microbatch_2");
}

TEST(Microbatches, MayHaveNoElements) {
  const int64_t shape[] = {0, 4};
  const StepValue value{DType::F32, shape, {}};
  Microbatches apart(value, {2, 1});
  EXPECT_TRUE(apart.at(1).bytes.empty());
}

} // namespace
