// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Shape.h"
#include <gtest/gtest.h>

using namespace smp;

TEST(Shape, CountsElements) {
  EXPECT_EQ(checkedNumElements({}), 1);
  EXPECT_EQ(checkedNumElements({2, 3, 4}), 24);
  EXPECT_EQ(numElements({2, 3, 4}), 24);
  EXPECT_EQ(checkedNumElements({INT64_MAX}), INT64_MAX);
}

TEST(Shape, RefusesNegativeSizesAndOverflow) {
  EXPECT_EQ(checkedNumElements({2, -1}), std::nullopt);
  EXPECT_EQ(checkedNumElements({INT64_MAX, 2}), std::nullopt);
  EXPECT_EQ(checkedNumElements({int64_t(1) << 32, int64_t(1) << 31}),
            std::nullopt);
}

TEST(Shape, AZeroSizeIsLegalButHidesNoOverflow) {
  EXPECT_EQ(checkedNumElements({3, 0, 5}), 0);
  EXPECT_EQ(checkedNumElements({0, INT64_MAX, 2}), std::nullopt);
  EXPECT_EQ(checkedNumElements({0, -1}), std::nullopt);
}

TEST(Shape, Strides) {
  EXPECT_EQ(rowMajorStrides({2, 3, 4}), (Shape{12, 4, 1}));
  EXPECT_EQ(rowMajorStrides({}), Shape{});
  EXPECT_EQ(rowMajorStrides({2, 0, 4}), (Shape{0, 4, 1}));
}

TEST(Shape, PrintsForPeople) {
  EXPECT_EQ(toString(Shape{1, 3, 224, 224}), "1x3x224x224");
  EXPECT_EQ(toString(Shape{}), "scalar");
  EXPECT_EQ(toString(TensorType{DType::F32, {1, 3}}), "f32[1x3]");
  EXPECT_EQ(toString(TensorType{DType::I64, {}}), "i64[]");
}

TEST(TensorType, BytesAreChecked) {
  EXPECT_EQ(checkedBytes({DType::F64, {2, 3}}), 48);
  EXPECT_EQ(checkedBytes({DType::Bool, {5}}), 5);
  EXPECT_EQ(checkedBytes({DType::F32, {INT64_MAX / 2}}), std::nullopt);
  EXPECT_EQ(checkedBytes({DType::F32, {-1}}), std::nullopt);
}
