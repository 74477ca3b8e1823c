// SPDX-License-Identifier: Apache-2.0
// Inputs that are given a value while importing.

#include "ModelBuilder.h"

using namespace smp;

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
