// SPDX-License-Identifier: Apache-2.0
// Dimensions and inputs that are bound while importing.

#include "ModelBuilder.h"
#include "smp/ir/Placement.h"

using namespace smp;

/// y = relu(x) and v = relu(u), with these dimensions.
static std::string twoInputs(const std::vector<std::string> &x,
                             const std::vector<std::string> &u) {
  return "graph {" + tensorInfo("input", "x", x) + tensorInfo("input", "u", u) +
         tensorInfo("output", "y", {"o"}) + tensorInfo("output", "v", {"p"}) +
         "node { op_type: 'Relu' input: 'x' output: 'y' }"
         "node { op_type: 'Relu' input: 'u' output: 'v' } }";
}

static std::string shapeOf(Import &import, unsigned argument) {
  if (!import.ok())
    return import.error;
  std::string text;
  llvm::raw_string_ostream(text) << import.entry().getArgumentTypes()[argument];
  return text;
}

TEST(Dimensions, ASymbolIsBoundWhereverItIs) {
  OnnxOptions options;
  options.dims = {{"batch", 2}, {"seq", 5}};
  Import import(parseText(twoInputs({"batch", "seq"}, {"seq", "batch"})),
                options);
  EXPECT_EQ(shapeOf(import, 0), "tensor<2x5xf32>");
  EXPECT_EQ(shapeOf(import, 1), "tensor<5x2xf32>");
}

TEST(Dimensions, TheHintNamesPlacesAndSizesThatCanWork) {
  Import import(parseText(
      twoInputs({"batch", "3", "height", "?"}, {"batch", "sequence"})));
  EXPECT_EQ(import.error,
            "m.onnx: does not fix these dimensions: batch (x[0], u[0]), height "
            "(x[2]), x[3], sequence (u[1]); bind each, as in --dim batch=1 "
            "--dim height=224 --dim x[3]=224 --dim sequence=128\n");
}

TEST(Dimensions, APlaceSaysMoreThanAName) {
  OnnxOptions options;
  options.dims = {{"batch", 2}, {"u[0]", 3}};
  Import import(parseText(twoInputs({"batch", "4"}, {"batch", "4"})), options);
  EXPECT_EQ(shapeOf(import, 0), "tensor<2x4xf32>");
  EXPECT_EQ(shapeOf(import, 1), "tensor<3x4xf32>");
}

TEST(Dimensions, AFixedPlaceIsNotBound) {
  OnnxOptions options;
  options.dims = {{"u[1]", 3}};
  Import import(parseText(twoInputs({"2", "4"}, {"2", "4"})), options);
  EXPECT_EQ(import.error, "m.onnx: fixes dimension u[1] at 4; only one that it "
                          "leaves open can be bound\n");
  options.dims = {{"u[2]", 3}};
  EXPECT_EQ(Import(parseText(twoInputs({"2", "n"}, {"2", "4"})), options).error,
            "m.onnx: has no symbolic dimension 'u[2]'; it has: n\n");
}

TEST(Dimensions, TwoWithoutANameAreTwo) {
  OnnxOptions options;
  options.dims = {{"unk__7", 3}};
  EXPECT_EQ(
      Import(parseText(twoInputs({"unk__7", "4"}, {"unk__7", "4"})), options)
          .error,
      "m.onnx: has 2 dimensions without a name of their own that are called "
      "'unk__7'; bind each by its place: --dim x[0]=... --dim u[0]=...\n");
  options.dims = {{"x[0]", 3}, {"u[0]", 5}};
  Import places(parseText(twoInputs({"unk__7", "4"}, {"unk__7", "4"})),
                options);
  EXPECT_EQ(shapeOf(places, 0), "tensor<3x4xf32>");
  EXPECT_EQ(shapeOf(places, 1), "tensor<5x4xf32>");
  options.dims = {{"unk__7", 3}};
  Import alone(parseText(twoInputs({"unk__7", "4"}, {"2", "4"})), options);
  EXPECT_EQ(shapeOf(alone, 0), "tensor<3x4xf32>");
}

TEST(Dimensions, MinusOneIsNotKnown) {
  onnx::ModelProto model = parseText(twoInputs({"2", "4"}, {"2", "4"}));
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-1);
  EXPECT_EQ(Import(model).error, "m.onnx: does not fix these dimensions: x[0]; "
                                 "bind each, as in --dim x[0]=1\n");
  OnnxOptions options;
  options.dims = {{"x[0]", 6}};
  Import bound(model, options);
  EXPECT_EQ(shapeOf(bound, 0), "tensor<6x4xf32>");
}

//===----------------------------------------------------------------------===//
// Inputs that are known
//===----------------------------------------------------------------------===//

/// y = x * rate, of these types and shapes.
static std::string scaled(int elementType, const std::vector<std::string> &rate,
                          const std::string &more = "") {
  return "graph {" + tensorInfo("input", "x", {"4"}, elementType) +
         tensorInfo("input", "rate", rate, elementType) +
         tensorInfo("output", "y", {"4"}, elementType) +
         "node { op_type: 'Mul' input: 'x' input: 'rate' output: 'y' }" + more +
         "}";
}

TEST(Numbers, AnInputOfOneElementTakesANumber) {
  OnnxOptions options;
  options.numbers = {{"rate", "16000"}};
  for (int type : {1, 6, 7, 11})
    for (const std::vector<std::string> &shape :
         {std::vector<std::string>{}, {"1"}, {"n"}}) {
      Import import(parseText(scaled(type, shape)), options);
      ASSERT_TRUE(import.ok()) << import.error;
      EXPECT_EQ(import.entry().getNumArguments(), 1u);
    }
}

TEST(Numbers, WhatDoesNotFitTheTypeIsRefused) {
  OnnxOptions options;
  options.numbers = {{"rate", "0.5"}};
  EXPECT_TRUE(Import(parseText(scaled(1, {})), options).ok());
  EXPECT_EQ(Import(parseText(scaled(7, {})), options).error,
            "m.onnx: input 'rate' is i64[]; '0.5' is no value of that type\n");
  options.numbers = {{"rate", "300"}};
  EXPECT_EQ(Import(parseText(scaled(2, {})), options).error,
            "m.onnx: input 'rate' is u8[]; '300' is no value of that type\n");
  EXPECT_EQ(Import(parseText(scaled(1, {"4"})), options).error,
            "m.onnx: input 'rate' is f32[4]; --constant rate=300 is for an "
            "input of one element: give a .npy file\n");
}

TEST(Numbers, AConditionNamesTheInputThatDecidesIt) {
  const std::string branch =
      "type: GRAPH g { name: 'b' output { name: 'z' } node { op_type: 'Relu' "
      "input: 'x' output: 'z' } } }";
  Import import(parseText(
      "graph {" + tensorInfo("input", "x", {"4"}) +
      tensorInfo("input", "fast", {}, /*bool*/ 9) +
      tensorInfo("output", "y", {"4"}) +
      "node { op_type: 'Not' input: 'fast' output: 'slow' }"
      "node { name: 'choose' op_type: 'If' input: 'slow' output: 'y'"
      "  attribute { name: 'then_branch' " +
      branch + "  attribute { name: 'else_branch' " + branch + "} }"));
  EXPECT_EQ(import.error,
            "m.onnx: node 'choose' (If): has a condition that depends on data, "
            "and it must be known while compiling: it follows from input "
            "'fast'; bind what decides it, as in --constant fast=1\n");
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// y = `condition` ? relu(x) : relu(x), where these nodes give the condition.
static std::string errorOfCondition(const std::string &nodes) {
  const std::string branch =
      "type: GRAPH g { name: 'b' output { name: 'z' } node { op_type: 'Relu' "
      "input: 'x' output: 'z' } } }";
  Import import(parseText(
      "graph {" + tensorInfo("input", "x", {"4"}) +
      tensorInfo("output", "y", {"4"}) + nodes +
      "node { name: 'choose' op_type: 'If' input: 'c' output: 'y'"
      "  attribute { name: 'then_branch' " +
      branch + "  attribute { name: 'else_branch' " + branch + "} }"));
  EXPECT_FALSE(import.ok());
  return import.error;
}

/// c = whether the sum of w, of so many floats, is positive.
static std::string positiveSum(const std::string &w) {
  return "initializer { name: 'zero' data_type: 1 float_data: 0 }" + w +
         "node { op_type: 'ReduceSum' input: 'w' output: 's' attribute { name: "
         "'keepdims' type: INT i: 0 } }"
         "node { op_type: 'Greater' input: 's' input: 'zero' output: 'c' }";
}

TEST(Conditions, HaveOneElement) {
  EXPECT_EQ(
      errorOfCondition("initializer { name: 'c' dims: 2 data_type: 9 "
                       "int32_data: [1, 0] }"),
      "m.onnx: node 'choose' (If): has a condition of 2 elements; it must "
      "have one\n");
}

TEST(Conditions, NameTheInitialiserThatTheyFollowFrom) {
  std::string w = "initializer { name: 'w' dims: 512 data_type: 1 float_data: "
                  "[0";
  for (int i = 1; i < 512; ++i)
    w += ", " + std::to_string(i);
  EXPECT_EQ(errorOfCondition(positiveSum(w + "] }")),
            "m.onnx: node 'choose' (If): needs its condition while compiling: "
            "it follows from initialiser 'w', of 2048 bytes; one of floats is "
            "known while compiling if it has at most 1024 bytes\n");
}

TEST(Conditions, FollowFromConstantsThatAreTooLarge) {
  EXPECT_EQ(errorOfCondition(
                int64s("n", {1 << 20}) +
                positiveSum("node { op_type: 'ConstantOfShape' input: 'n' "
                            "output: 'w' }")),
            "m.onnx: node 'choose' (If): needs its condition while compiling: "
            "it follows from constants that are too large to be evaluated "
            "while compiling\n");
}
