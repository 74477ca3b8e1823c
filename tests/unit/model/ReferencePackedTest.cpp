// SPDX-License-Identifier: Apache-2.0
// Products with packed operands give what the plain ones give.

#include "ReferenceHelpers.h"

using namespace smp;
using namespace smp::test;

static HostTensor packed(const HostTensor &x, int64_t padded) {
  const Shape &shape = x.type.shape;
  return eval("pack", {x}, {x.type.dtype, {shape[0] * shape[1] * padded}});
}

TEST(ReferencePacked, MatmulOfBatches) {
  Random random(1);
  HostTensor lhs = randomTensor<float>(random.rng, {2, 3, 4, 5});
  HostTensor rhs = randomTensor<float>(random.rng, {2, 3, 5, 7});
  const TensorType type{DType::F32, {2, 3, 4, 7}};
  HostTensor expected = eval("dot_general", {lhs, rhs}, type,
                             {{"lhs_batch", List{0, 1}},
                              {"rhs_batch", List{0, 1}},
                              {"lhs_contract", List{3}},
                              {"rhs_contract", List{2}}});
  HostTensor right =
      packed(eval("reshape", {rhs}, {DType::F32, {6, 5, 7}}), 16);
  HostTensor actual =
      eval("packed_matmul", {lhs, right}, type, {{"columns", int64_t(7)}});
  EXPECT_EQ(actual.bytes, expected.bytes);
}

TEST(ReferencePacked, MatmulBySharedOperand) {
  Random random(2);
  HostTensor lhs = randomTensor<double>(random.rng, {3, 4, 5});
  HostTensor rhs = randomTensor<double>(random.rng, {5, 7});
  const TensorType type{DType::F64, {3, 4, 7}};
  HostTensor expected = eval("dot_general", {lhs, rhs}, type,
                             {{"lhs_batch", List{}},
                              {"rhs_batch", List{}},
                              {"lhs_contract", List{2}},
                              {"rhs_contract", List{0}}});
  HostTensor right = packed(eval("reshape", {rhs}, {DType::F64, {1, 5, 7}}), 8);
  HostTensor actual = eval("packed_matmul", {lhs, right}, type,
                           {{"columns", int64_t(7)}, {"shared", int64_t(1)}});
  EXPECT_EQ(actual.bytes, expected.bytes);
}

TEST(ReferencePacked, NarrowFloatsArePackedAsF32) {
  HostTensor x = HostTensor::zeros({DType::BF16, {1, 1, 2}});
  x.as<uint16_t>()[0] = 0x3f80;
  x.as<uint16_t>()[1] = 0x4000;
  expectBits(valuesOf<float>(eval("pack", {x}, {DType::F32, {4}})),
             {1, 2, 0, 0});
}

static const Attributes kWindow{{"strides", List{2, 1}},
                                {"low", List{1, 1}},
                                {"high", List{1, 0}},
                                {"dilations", List{1, 2}}};

/// conv, channels last, of `input` by a filter [outputs, inputs, 3, 2].
static HostTensor plainConv(const HostTensor &input, const HostTensor &filter,
                            int64_t groups, const TensorType &type) {
  Attributes attributes = kWindow;
  attributes["groups"] = groups;
  attributes["layout"] = "channels_last";
  return eval("conv", {input, filter}, type, attributes);
}

TEST(ReferencePacked, Conv) {
  Random random(3);
  const int64_t groups = 2, inputs = 3, outputs = 5;
  HostTensor input =
      randomTensor<float>(random.rng, {2, 6, 7, groups * inputs});
  HostTensor filter =
      randomTensor<float>(random.rng, {groups * outputs, inputs, 3, 2});
  const TensorType type{DType::F32, {2, 3, 6, groups * outputs}};
  HostTensor split =
      eval("reshape", {filter}, {DType::F32, {groups, outputs, inputs, 6}});
  HostTensor ordered =
      eval("transpose", {split}, {DType::F32, {groups, 6, inputs, outputs}},
           {{"permutation", List{0, 3, 2, 1}}});
  HostTensor flat =
      eval("reshape", {ordered}, {DType::F32, {groups, 6 * inputs, outputs}});
  Attributes attributes = kWindow;
  attributes["groups"] = groups;
  attributes["features"] = groups * outputs;
  attributes["window"] = List{3, 2};
  HostTensor actual =
      eval("packed_conv", {input, packed(flat, 8)}, type, attributes);
  EXPECT_EQ(actual.bytes, plainConv(input, filter, groups, type).bytes);
}

TEST(ReferencePacked, DepthwiseConv) {
  Random random(4);
  HostTensor input = randomTensor<float>(random.rng, {2, 6, 7, 5});
  HostTensor filter = randomTensor<float>(random.rng, {5, 1, 3, 2});
  const TensorType type{DType::F32, {2, 3, 6, 5}};
  HostTensor flat = eval("reshape", {filter}, {DType::F32, {5, 3, 2}});
  HostTensor ordered = eval("transpose", {flat}, {DType::F32, {3, 2, 5}},
                            {{"permutation", List{1, 2, 0}}});
  HostTensor actual = eval("depthwise_conv", {input, ordered}, type, kWindow);
  EXPECT_EQ(actual.bytes, plainConv(input, filter, 5, type).bytes);
}

TEST(ReferencePacked, OperandsThatDoNotFitAreErrors) {
  HostTensor lhs = HostTensor::zeros({DType::F32, {2, 3}});
  HostTensor right = HostTensor::zeros({DType::F32, {10}});
  EXPECT_EQ(call("packed_matmul", {lhs, right}, {{DType::F32, {2, 4}}},
                 {{"columns", int64_t(4)}})
                .error,
            "op 'node' (packed_matmul): a packed operand of 10 elements does "
            "not hold products "
            "of 1x3 rows and 4 columns");
}
