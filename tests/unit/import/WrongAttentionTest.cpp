// SPDX-License-Identifier: Apache-2.0
// Attention, what goes with it, and quantised tensors that are wrong on
// purpose: each error names the sizes or types and what must hold.

#include "ModelBuilder.h"

using namespace smp;

namespace {

using Dims = std::vector<std::string>;
constexpr int kFloat = 1, kU8 = 2, kI8 = 3, kI32 = 6, kI64 = 7, kBool = 9,
              kHalf = 10;

struct Input {
  Dims dims;
  int type = kFloat;
};

/// The error for a node over inputs of these types (no dims: left out); empty
/// when it can be imported.
std::string errorOf(const std::string &op, const std::vector<Input> &inputs,
                    const std::string &attributes = "", int64_t opset = 25) {
  std::string graph, names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool isThere = !inputs[i].dims.empty();
    const std::string name = "x" + std::to_string(i);
    if (isThere)
      graph +=
          tensorInfo("input", name,
                     inputs[i].dims == Dims{"scalar"} ? Dims() : inputs[i].dims,
                     inputs[i].type);
    names += " input: '" + (isThere ? name : "") + "'";
  }
  return Import(parseText("opset_import { version: " + std::to_string(opset) +
                          " } graph {" + graph +
                          tensorInfo("output", "y", {"o"}) +
                          "node { op_type: '" + op + "'" + names +
                          " output: 'y' " + attributes + "} }"))
      .error;
}

std::string number(const std::string &name, int64_t value) {
  return "attribute { name: '" + name +
         "' type: INT i: " + std::to_string(value) + " } ";
}

void expectTold(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos)
      << "'" << part << "' is not in: " << error;
}

const Input kQuery{{"1", "4", "3", "6"}}, kKey{{"1", "2", "5", "6"}};

} // namespace

TEST(WrongAttention, KeysThatDoNotFit) {
  const auto error = [](const Dims &key, const Dims &value) {
    return errorOf("Attention", {kQuery, {key}, {value}});
  };
  EXPECT_EQ(error({"1", "2", "5", "6"}, {"1", "2", "5", "7"}), "");
  expectTold(error({"1", "2", "5", "7"}, {"1", "2", "5", "7"}),
             "has keys of shape [1, 2, 5, 7] and values of shape [1, 2, 5, 7] "
             "that do not fit its queries of shape [1, 4, 3, 6], by heads: the "
             "size of a key must be that of a query");
  expectTold(error({"1", "3", "5", "6"}, {"1", "3", "5", "6"}),
             "the heads of keys must divide those of queries");
  expectTold(error({"1", "0", "5", "6"}, {"1", "0", "5", "6"}),
             "the heads of keys must divide those of queries");
  expectTold(error({"2", "2", "5", "6"}, {"2", "2", "5", "6"}),
             "the batch must be one");
  expectTold(error({"1", "2", "5", "6"}, {"1", "2", "4", "6"}),
             "there must be a value for each key");
}

TEST(WrongAttention, Heads) {
  const Input flat{{"1", "3", "24"}};
  expectTold(errorOf("Attention", {flat, flat, flat}),
             "has no attribute 'q_num_heads'; an input of shape [1, 3, 24] "
             "needs to know of how many heads it is");
  expectTold(errorOf("Attention", {flat, flat, flat}, number("q_num_heads", 4)),
             "has no attribute 'kv_num_heads'");
  expectTold(errorOf("Attention", {flat, flat, flat},
                     number("q_num_heads", 4) + number("kv_num_heads", 5)),
             "24 features into 5 heads");
  expectTold(
      errorOf("Attention", {kQuery, flat, flat}, number("kv_num_heads", 2)),
      "query, key and value of ranks 4, 3 and 3");
  expectTold(errorOf("Attention", {{{"3", "4"}}, {{"3", "4"}}, {{"3", "4"}}}),
             "rank 2");
  expectTold(errorOf("RotaryEmbedding", {flat, flat, flat}),
             "has no attribute 'num_heads'");
}

TEST(WrongAttention, Masks) {
  const auto error = [](const Input &mask) {
    return errorOf("Attention", {kQuery, kKey, kKey, mask});
  };
  EXPECT_EQ(error({{"scalar"}, kBool}), "");
  EXPECT_EQ(error({{"scalar"}}), "");
  EXPECT_EQ(error({{"3", "4"}}), "");
  expectTold(error({{"2", "5"}}),
             "has a mask of shape [2, 5] that does not broadcast to its "
             "scores, [1, 4, 3, 5]");
  expectTold(error({{"3", "5"}, kHalf}),
             "adds a mask of type f16[3x5] to scores of type f32[1x4x3x5]");
}

TEST(WrongAttention, WhatIsKept) {
  const Input none{{}};
  const auto error = [&](const Input &key, const Input &value) {
    return errorOf("Attention", {kQuery, kKey, kKey, none, key, value});
  };
  EXPECT_EQ(error({{"1", "2", "0", "6"}}, {{"1", "2", "0", "6"}}), "");
  expectTold(error({{"1", "2", "9", "6"}}, none),
             "has one of past_key and past_value");
  expectTold(error({{"1", "3", "9", "6"}}, {{"1", "2", "9", "6"}}),
             "has an input 4 of shape [1, 3, 9, 6] to go before one of shape "
             "[1, 2, 5, 6]; they must differ in dimension 2 alone");
  expectTold(error({{"1", "2", "9", "6"}}, {{"1", "9", "6"}}),
             "has an input 5 of shape [1, 9, 6]");
  expectTold(error({{"1", "2", "9", "6"}}, {{"1", "2", "8", "6"}}),
             "there must be a value for each key");
}

TEST(WrongAttention, Lengths) {
  const Input none{{}}, past{{"1", "2", "9", "6"}};
  const auto error = [&](const Input &lengths, int64_t opset = 25) {
    return errorOf("Attention", {kQuery, kKey, kKey, none, none, none, lengths},
                   "", opset);
  };
  EXPECT_EQ(error({{"1"}, kI64}), "");
  expectTold(error({{"2"}, kI64}), "has a nonpad_kv_seqlen of type i64[2]; it "
                                   "must be i64[1]");
  expectTold(error({{"1"}, kI32}), "of type i32[1]; it must be i64[1]");
  expectTold(error({{"1"}, kI64}, 23), "from opset 24 on");
  expectTold(errorOf("Attention",
                     {kQuery, kKey, kKey, none, past, past, {{"1"}, kI64}}),
             "has both nonpad_kv_seqlen and past_key");
}

TEST(WrongAttention, Attributes) {
  const auto error = [](const std::string &name, int64_t value) {
    return errorOf("Attention", {kQuery, kKey, kKey}, number(name, value));
  };
  expectTold(error("qk_matmul_output_mode", 4), "0..3");
  expectTold(error("softmax_precision", 7), "floats");
  expectTold(error("softmax_precision", 17), "FLOAT8E4M3FN");
  expectTold(error("left_window_size", -2),
             "left_window_size -2; it must be -1");
  expectTold(error("right_window_size", -9),
             "right_window_size -9; it must be");
}

/// A softcap below zero is none, as 0 is.
TEST(WrongAttention, ASoftcapIsAboveZero) {
  const auto tanhsWith = [](const std::string &softcap) {
    Import import(parseText(
        "opset_import { version: 25 } graph {" +
        tensorInfo("input", "x", kQuery.dims) +
        tensorInfo("output", "y", {"o"}) +
        "node { op_type: 'Attention' input: ['x', 'x', 'x'] output: 'y' "
        "attribute { name: 'softcap' type: FLOAT f: " +
        softcap + " } } }"));
    EXPECT_TRUE(import.ok()) << import.error;
    return import.ops<ir::TanhOp>().size();
  };
  EXPECT_EQ(tanhsWith("2"), 1u);
  EXPECT_EQ(tanhsWith("0"), 0u);
  EXPECT_EQ(tanhsWith("-2"), 0u);
}

TEST(WrongAttention, RotationsAndCaches) {
  const Input cache{{"2", "4", "3"}}, ids{{"1", "3"}, kI64};
  expectTold(errorOf("RotaryEmbedding",
                     {kQuery, {{"1", "3", "3"}}, {{"1", "3", "2"}}}),
             "has a cache of sines that does not fit its input: it is of shape "
             "[1, 3, 2]; it must be [batch, length, pairs of features], here "
             "[1, 3, 3]");
  expectTold(
      errorOf("RotaryEmbedding", {kQuery, {{"9", "2"}}, {{"9", "2"}}, ids}),
      "has a cache of cosines that does not fit its input: at its "
      "position_ids it is of shape [1, 3, 2]");
  expectTold(
      errorOf("TensorScatter", {cache, {{"2", "5", "3"}}, {{"2"}, kI64}}),
      "has an update of shape [2, 5, 3] that does not fit its cache of "
      "shape [2, 4, 3]: its axis is 1");
  expectTold(errorOf("TensorScatter", {cache, cache, {{"2"}, kI64}},
                     number("axis", 0)),
             "its axis is 0, which may not be 0");
  expectTold(errorOf("TensorScatter", {cache, cache, {{"3"}, kI64}}),
             "has write_indices of shape [3]; it must be [2]");
}

TEST(WrongQuantised, Types) {
  const Input x{{"2", "3"}}, scale{{"scalar"}};
  expectTold(errorOf("QuantizeLinear", {x, scale}, number("output_dtype", 1)),
             "gives f32; it must be an integer of 8 or 16 bits");
  expectTold(errorOf("QuantizeLinear", {x, scale, {{"scalar"}, kI8}},
                     number("output_dtype", 2)),
             "has a zero point of type i8; its result is u8");
  expectTold(errorOf("DequantizeLinear",
                     {{{"2", "3"}, kU8}, scale, {{"scalar"}, kI8}}),
             "has a zero point of type i8; its input is u8");
}
