// SPDX-License-Identifier: Apache-2.0
// What ops become in ONNX. That they mean the same is for tests/conformance.
#include "ExportGraphs.h"
#include "OnnxText.h"
#include "smp/tools/ExportOnnx.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

using Ints = std::vector<int64_t>;

std::string exported(const GraphMaker &maker) {
  const auto bytes = serializeOnnx(maker.finish());
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  proto::onnx::Model model;
  if (!bytes.ok() || !model.ParseFromString(*bytes))
    return "no model";
  EXPECT_EQ(model.opset_import(0).version(), kOnnxOpset);
  EXPECT_EQ(model.graph().name(), "predict");
  return textOf(model.graph());
}

std::string whyNot(const GraphMaker &maker) {
  const auto bytes = serializeOnnx(maker.finish());
  EXPECT_FALSE(bytes.ok());
  return bytes.status().message();
}

TEST(Onnx, ALayerHasTheNamesOfItsModel) {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({2, 3}));
  const uint32_t w = m.read("dense.w", floats({4, 3}));
  const uint32_t product = m.op("dot_general", {x, w}, floats({2, 4}),
                                {{"lhs_batch", Ints()},
                                 {"rhs_batch", Ints()},
                                 {"lhs_contract", Ints{1}},
                                 {"rhs_contract", Ints{1}}},
                                "dense");
  const uint32_t bias =
      m.op("broadcast", {m.read("dense.b", floats({4}))}, floats({2, 4}),
           {{"dimensions", Ints{1}}}, "dense/bias");
  m.output("y", m.op("add", {product, bias}, floats({2, 4}), {}, "dense/add"));
  EXPECT_EQ(exported(m), R"(input x: 1[2x3]
dense.w: 1[4x3] = 48 bytes
dense.b: 1[4] = 16 bytes
constant: 7[2] = 1 4
constant_1: 7[2] = 2 4
dense/Transpose = Transpose(dense.w) perm=1x0
dense = MatMul(x, dense/Transpose)
dense/bias/Reshape = Reshape(dense.b, constant) allowzero=1
dense/bias = Expand(dense/bias/Reshape, constant_1)
y = Add(dense, dense/bias)
output y: 1[2x4]
)");
}

TEST(Onnx, WhatNoOutputFollowsFromIsLeftOut) {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({2}));
  m.op("random", {x, x}, floats({2}));
  m.op("add", {x, m.read("unused", floats({2}))}, floats({2}));
  m.output("y", m.op("neg", {x}, floats({2})));
  EXPECT_EQ(exported(m), "input x: 1[2]\ny = Neg(x)\noutput y: 1[2]\n");
}

TEST(Onnx, OutputsThatNoNodeMakesAreCopies) {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({2}));
  const uint32_t y = m.op("neg", {x}, floats({2}));
  m.output("same", x);
  m.output("y", y);
  m.output("again", y);
  m.output("w", m.read("w", floats({2})));
  EXPECT_EQ(exported(m), R"(input x: 1[2]
w_1: 1[2] = 8 bytes
y = Neg(x)
same = Identity(x)
again = Identity(y)
w = Identity(w_1)
output same: 1[2]
output y: 1[2]
output again: 1[2]
output w: 1[2]
)");
}

TEST(Onnx, ConstantsAreThereOnce) {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({2}));
  HostTensor tensor = HostTensor::zeros({DType::F32, {2}});
  tensor.as<float>()[1] = 3;
  std::vector<std::byte> one(4, std::byte(1));
  uint32_t sum = x;
  for (int i = 0; i < 2; ++i)
    sum = m.op("add",
               {sum, m.op("constant", {}, floats({2}), {{"value", tensor}})},
               floats({2}), {}, "sum");
  m.output("y", m.op("mul",
                     {sum, m.op("constant", {}, floats({2}),
                                {{"value", Splat{floats({2}), one}}})},
                     floats({2})));
  EXPECT_EQ(exported(m), R"(input x: 1[2]
constant: 1[2] = 8 bytes
constant_2: 7[1] = 2
sum = Add(x, constant)
sum_1 = Add(sum, constant)
constant_1 = ConstantOfShape(constant_2) value=1[1] = 4 bytes
y = Mul(sum_1, constant_1)
output y: 1[2]
)");
}

TEST(Onnx, FeaturesThatAreLastAreMovedThereAndBack) {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({1, 8, 8, 3}));
  m.output("y", m.op("conv", {x, m.read("w", floats({5, 3, 3, 3}))},
                     floats({1, 8, 8, 5}),
                     {{"strides", Ints{1, 1}},
                      {"low", Ints{1, 1}},
                      {"high", Ints{1, 2}},
                      {"dilations", Ints{1, 1}},
                      {"groups", int64_t(1)},
                      {"layout", "channels_last"}}));
  EXPECT_EQ(exported(m), R"(input x: 1[1x8x8x3]
w: 1[5x3x3x3] = 540 bytes
y/Transpose = Transpose(x) perm=0x3x1x2
y/Conv = Conv(y/Transpose, w) kernel_shape=3x3 strides=1x1 pads=1x1x1x2 dilations=1x1 group=1
y = Transpose(y/Conv) perm=0x2x3x1
output y: 1[1x8x8x5]
)");
}

TEST(Onnx, EveryOpWithoutCounterpartIsNamed) {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({4}));
  const uint32_t noise = m.op("random", {x, x}, floats({4}), {}, "dropout1");
  const uint32_t scanned =
      m.op("scan", {noise}, floats({4}),
           {{"kind", "prod"}, {"axis", int64_t(0)}}, "decay");
  const uint32_t bits = m.op("bit_cast", {scanned}, {DType::I32, {4}});
  m.output("y", bits);
  m.graph().ops.push_back(
      {"update", "assign", {x}, {}, {{"variable", "w"}}, {}});
  EXPECT_EQ(whyNot(m),
            "entry 'predict' has 4 ops without counterpart in ONNX (operator "
            "set 20): 'dropout1' (smp.random), 'decay' (smp.scan of kind "
            "prod), smp.bit_cast, 'update' (smp.assign); export an entry that "
            "does without");
}

/// Programs are read from files, which may say anything.
TEST(Onnx, OpsThatLackSomethingAreNamed) {
  const struct {
    const char *mnemonic;
    AttributeMap attributes;
    const char *why;
  } cases[] = {
      {"transpose", {}, " without attribute 'permutation'"},
      {"reduce", {{"kind", "most"}, {"dimensions", Ints{0}}}, " of kind most"},
      {"compare", {{"direction", "up"}}, " with direction up"},
      {"dot_general",
       {{"lhs_batch", Ints()},
        {"rhs_batch", Ints()},
        {"lhs_contract", Ints{7}},
        {"rhs_contract", Ints{0}}},
       " without operand 1"},
      {"broadcast",
       {{"dimensions", Ints{9}}},
       " along no dimension of its own"},
      {"iota", {{"dimension", int64_t(3)}}, " along no dimension of its own"},
      {"conv", {}, " without spatial dimensions"},
      {"batch_norm", {{"axis", int64_t(5)}}, " along no dimension of its own"},
      {"gather_nd", {}, " without operand 1"},
      {"window_reduce",
       {{"strides", Ints{1}},
        {"low", Ints{0}},
        {"high", Ints{0}},
        {"dilations", Ints{1}},
        {"window", Ints{int64_t(1) << 62, 4}}},
       " of a window beyond all bounds"},
      {"quantum", {}, ""}};
  for (const auto &one : cases) {
    GraphMaker m;
    const uint32_t x = m.input("x", floats({4}));
    m.output("y", m.op(one.mnemonic, {x}, floats({4}), one.attributes, "op"));
    EXPECT_EQ(
        whyNot(m),
        std::string("entry 'predict' has 1 op without counterpart in ONNX "
                    "(operator set 20): 'op' (smp.") +
            one.mnemonic + one.why + "); export an entry that does without");
  }
}

} // namespace
