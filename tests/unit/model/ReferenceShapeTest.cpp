// SPDX-License-Identifier: Apache-2.0
// Ops that make or move elements.

#include "ReferenceHelpers.h"
#include "smp/model/Philox.h"

using namespace smp;
using namespace smp::test;

/// 0, 1, 2 ... of the given shape.
static HostTensor counting(Shape shape) {
  std::vector<int32_t> values(size_t(numElements(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int32_t(i);
  return tensor<int32_t>(std::move(shape), values);
}

static std::vector<int32_t> ints(const HostTensor &tensor) {
  return valuesOf<int32_t>(tensor);
}

TEST(ReferenceShape, ConstantAndIota) {
  HostTensor value = counting({2, 2});
  expectBits(ints(eval("constant", {}, value.type, {{"value", value}})),
             {0, 1, 2, 3});
  const Splat sevens{{DType::I32, {3}}, tensor<int32_t>({}, {7}).bytes};
  expectBits(ints(eval("constant", {}, sevens.type, {{"value", sevens}})),
             {7, 7, 7});
  expectBits(
      ints(eval("iota", {}, {DType::I32, {2, 3}}, {{"dimension", int64_t(1)}})),
      {0, 1, 2, 0, 1, 2});
  expectBits(valuesOf<float>(eval("iota", {}, {DType::F32, {2, 3}},
                                  {{"dimension", int64_t(0)}})),
             {0, 0, 0, 1, 1, 1});
}

/// Words of the known answers of Random123; their low 8 bits are cut.
TEST(ReferenceShape, RandomIsPhilox) {
  auto draw = [](Shape shape, int64_t step, int64_t microbatch, int64_t site,
                 uint64_t seed) {
    return valuesOf<float>(
        eval("random",
             {tensor<int64_t>({}, {step}), tensor<int64_t>({1}, {microbatch})},
             {DType::F32, std::move(shape)},
             {{"seed", int64_t(seed)}, {"site", site}}));
  };
  auto unit = [](uint32_t word) { return float(word >> 8) * 0x1p-24f; };
  const std::vector<float> zero = {unit(0x6627e8d5), unit(0xe169c58d),
                                   unit(0xbc57ac4c), unit(0x9b00dbd8)};
  expectBits(draw({4}, 0, 0, 0, 0), zero);
  expectBits(draw({3}, 0, 0, 0, 0), {zero[0], zero[1], zero[2]});
  // The counter is (block, microbatch, step, site), 32 bits each.
  PhiloxWords words = philox({1, 7, 0x13198a2e, 0x03707344}, ~uint64_t(5));
  std::vector<float> drawn = draw({2, 3}, (int64_t(9) << 32) + 0x13198a2e, 7,
                                  0x03707344, ~uint64_t(5));
  expectBits(std::vector<float>(drawn.begin() + 4, drawn.end()),
             {unit(words[0]), unit(words[1])});
  EXPECT_TRUE(draw({0}, 1, 1, 1, 1).empty());
}

TEST(ReferenceShape, ReshapeTransposeReverse) {
  HostTensor x = counting({2, 3});
  expectBits(ints(eval("reshape", {x}, {DType::I32, {3, 2}})),
             {0, 1, 2, 3, 4, 5});
  expectBits(ints(eval("transpose", {x}, {DType::I32, {3, 2}},
                       {{"permutation", List{1, 0}}})),
             {0, 3, 1, 4, 2, 5});
  expectBits(ints(evalSame("reverse", {x}, {{"dimensions", List{1}}})),
             {2, 1, 0, 5, 4, 3});
  expectBits(ints(evalSame("reverse", {x}, {{"dimensions", List{0, 1}}})),
             {5, 4, 3, 2, 1, 0});
}

TEST(ReferenceShape, TransposeOfThreeDimensions) {
  HostTensor x = counting({2, 3, 4});
  std::vector<int32_t> y = ints(eval("transpose", {x}, {DType::I32, {4, 2, 3}},
                                     {{"permutation", List{2, 0, 1}}}));
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 4; ++c)
        EXPECT_EQ(y[size_t((c * 2 + a) * 3 + b)], (a * 3 + b) * 4 + c);
}

TEST(ReferenceShape, TransfersAndElementSizes) {
  HostTensor x = tensor<double>({2, 2}, {1, 2, 3, 4});
  expectBits(
      valuesOf<double>(evalSame("transfer", {x}, {{"partition", int64_t(1)}})),
      {1, 2, 3, 4});
  expectBits(valuesOf<double>(
                 evalSame("transpose", {x}, {{"permutation", List{1, 0}}})),
             {1, 3, 2, 4});
  HostTensor bytes = tensor<uint8_t>({2, 2}, {1, 2, 3, 4});
  expectBits(valuesOf<uint8_t>(
                 evalSame("transpose", {bytes}, {{"permutation", List{1, 0}}})),
             {1, 3, 2, 4});
}

TEST(ReferenceShape, Broadcast) {
  HostTensor row = counting({3}), column = counting({2, 1}),
             scalar = counting({});
  expectBits(ints(eval("broadcast", {row}, {DType::I32, {2, 3}},
                       {{"dimensions", List{1}}})),
             {0, 1, 2, 0, 1, 2});
  expectBits(ints(eval("broadcast", {column}, {DType::I32, {2, 3}},
                       {{"dimensions", List{0, 1}}})),
             {0, 0, 0, 1, 1, 1});
  expectBits(ints(eval("broadcast", {scalar}, {DType::I32, {2}},
                       {{"dimensions", List{}}})),
             {0, 0});
}

TEST(ReferenceShape, SliceAndConcat) {
  HostTensor x = counting({3, 5});
  expectBits(ints(eval("slice", {x}, {DType::I32, {2, 2}},
                       {{"starts", List{0, 1}},
                        {"limits", List{3, 4}},
                        {"strides", List{2, 2}}})),
             {1, 3, 11, 13});
  expectBits(ints(eval("slice", {x}, {DType::I32, {0, 5}},
                       {{"starts", List{3, 0}},
                        {"limits", List{3, 5}},
                        {"strides", List{1, 1}}})),
             {});
  HostTensor y = counting({3, 1});
  expectBits(ints(eval("concat", {y, y, counting({3, 2})}, {DType::I32, {3, 4}},
                       {{"axis", int64_t(1)}})),
             {0, 0, 0, 1, 1, 1, 2, 3, 2, 2, 4, 5});
}

static std::vector<int32_t> pad(HostTensor x, List low, List high,
                                List interior, std::string mode, Shape shape) {
  return ints(eval(
      "pad", {x, tensor<int32_t>({}, {9})}, {DType::I32, shape},
      {{"low", low}, {"high", high}, {"interior", interior}, {"mode", mode}}));
}

TEST(ReferenceShape, Pad) {
  HostTensor x = counting({4});
  expectBits(pad(x, {2}, {1}, {0}, "constant", {7}), {9, 9, 0, 1, 2, 3, 9});
  expectBits(pad(x, {0}, {1}, {1}, "constant", {8}), {0, 9, 1, 9, 2, 9, 3, 9});
  expectBits(pad(x, {-1}, {-2}, {0}, "constant", {1}), {1});
  expectBits(pad(x, {-1}, {0}, {2}, "constant", {9}),
             {9, 9, 1, 9, 9, 2, 9, 9, 3});
  expectBits(pad(x, {2}, {3}, {0}, "edge", {9}), {0, 0, 0, 1, 2, 3, 3, 3, 3});
  expectBits(pad(x, {3}, {3}, {0}, "reflect", {10}),
             {3, 2, 1, 0, 1, 2, 3, 2, 1, 0});
  expectBits(pad(x, {2}, {4}, {0}, "wrap", {10}),
             {2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  expectBits(pad(counting({2, 2}), {0, 1}, {1, 0}, {0, 0}, "constant", {3, 3}),
             {9, 0, 1, 9, 2, 3, 9, 9, 9});
  expectBits(pad(counting({0}), {1}, {1}, {3}, "constant", {2}), {9, 9});
}
