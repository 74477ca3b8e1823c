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

static OnnxOptions numbered(const std::string &text) {
  OnnxOptions options;
  options.numbers = {{"rate", text}};
  return options;
}

/// What the input becomes, by its bits; the error when it is refused.
static std::string valueOf(int elementType, const std::string &text,
                           const std::vector<std::string> &shape = {}) {
  Import import(parseText(scaled(elementType, shape)), numbered(text));
  if (!import.ok())
    return import.error;
  EXPECT_EQ(import.entry().getNumArguments(), 1u);
  auto constants = import.ops<ir::ConstantOp>();
  EXPECT_EQ(constants.size(), 1u);
  auto value = mlir::cast<mlir::DenseElementsAttr>(constants.at(0).getValue());
  EXPECT_TRUE(value.isSplat());
  std::string printed;
  llvm::raw_string_ostream(printed) << value.getSplatValue<mlir::Attribute>();
  return printed;
}

TEST(Numbers, AnInputOfOneElementTakesANumber) {
  const std::map<int, std::string> values = {
      {1, "1.600000e+04 : f32"},  {2, "160 : ui8"},
      {4, "16000 : ui16"},        {5, "16000 : i16"},
      {6, "16000 : i32"},         {7, "16000 : i64"},
      {10, "1.600000e+04 : f16"}, {11, "1.600000e+04 : f64"},
      {12, "16000 : ui32"},       {13, "16000 : ui64"},
      {16, "1.600000e+04 : bf16"}};
  for (const auto &[type, value] : values)
    for (const std::vector<std::string> &shape :
         {std::vector<std::string>{}, {"1"}, {"n"}})
      EXPECT_EQ(valueOf(type, type == 2 ? "160" : "16000", shape), value);
  EXPECT_EQ(valueOf(1, "-0.1"), "-1.000000e-01 : f32");
  EXPECT_EQ(valueOf(3, "-128"), "-128 : i8");
  EXPECT_EQ(valueOf(7, "-9223372036854775808"), "-9223372036854775808 : i64");
  EXPECT_EQ(valueOf(13, "18446744073709551615"), "18446744073709551615 : ui64");
}

TEST(Numbers, WholeNumbersHoweverTheyAreWritten) {
  for (const char *text : {"+7", "7.0", "0.7e1", "7e0"})
    EXPECT_EQ(valueOf(7, text), "7 : i64") << text;
  EXPECT_EQ(valueOf(6, "1e3"), "1000 : i32");
  EXPECT_EQ(valueOf(7, "-0"), "0 : i64");
}

/// y = fast ? x : -x, which follows the condition.
static bool takesThen(const std::string &text) {
  auto branch = [](const std::string &op) {
    return "type: GRAPH g { name: 'b' output { name: 'z' } node { op_type: '" +
           op + "' input: 'x' output: 'z' } } }";
  };
  Import import(parseText("graph {" + tensorInfo("input", "x", {"4"}) +
                          tensorInfo("input", "rate", {}, /*bool*/ 9) +
                          tensorInfo("output", "y", {"4"}) +
                          "node { op_type: 'If' input: 'rate' output: 'y'"
                          "  attribute { name: 'then_branch' " +
                          branch("Relu") +
                          "  attribute { name: 'else_branch' " + branch("Neg") +
                          "} }"),
                numbered(text));
  EXPECT_TRUE(import.ok()) << import.error;
  return import.ok() && import.ops<ir::ReluOp>().size() == 1;
}

TEST(Numbers, BoolsAreWordsOrNumbers) {
  for (const char *text : {"true", "True", "1"})
    EXPECT_TRUE(takesThen(text)) << text;
  for (const char *text : {"false", "False", "0"})
    EXPECT_FALSE(takesThen(text)) << text;
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

TEST(Numbers, WhatATypeDoesNotReachIsRefused) {
  auto refused = [](int type, const std::string &text) {
    const std::string error = valueOf(type, text);
    EXPECT_NE(error.find("'" + text + "' is no value of that type"),
              std::string::npos)
        << error;
  };
  refused(1, "1e39");
  refused(1, "-1e39");
  refused(10, "1e5");
  refused(16, "1e39");
  refused(11, "1e400");
  refused(7, "9223372036854775808");
  refused(7, "1e19");
  refused(13, "-1");
  refused(7, "inf");
  refused(7, "true");
  refused(1, "true");
  EXPECT_EQ(valueOf(1, "inf"), "0x7F800000 : f32");
  EXPECT_EQ(valueOf(10, "65519"), "6.550400e+04 : f16");
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
// Inputs with a default
//===----------------------------------------------------------------------===//

/// y = x + w, where w is [1, 1, 1] unless it is given.
static onnx::ModelProto withDefault() {
  return parseText("graph {" + tensorInfo("input", "x", {"3"}) +
                   tensorInfo("input", "w", {"3"}) +
                   tensorInfo("output", "y", {"3"}) +
                   "initializer { name: 'w' dims: 3 data_type: 1 float_data: "
                   "[1, 2, 3] }"
                   "node { op_type: 'Add' input: 'x' input: 'w' output: 'y' }"
                   "}");
}

TEST(Defaults, AConstantReplacesADefault) {
  OnnxOptions options;
  HostTensor w = HostTensor::zeros({DType::F32, {3}});
  w.as<float>()[1] = 2.5f;
  options.constants = {{"w", w}};
  Import import(withDefault(), options);
  ASSERT_TRUE(import.ok()) << import.error;
  EXPECT_EQ(import.entry().getNumArguments(), 1u);
  EXPECT_EQ(import.model.weights.size(), 0u) << "the default is gone";
  auto value = mlir::cast<mlir::DenseElementsAttr>(
      import.ops<ir::ConstantOp>().at(0).getValue());
  EXPECT_EQ(llvm::to_vector(value.getValues<float>()),
            (llvm::SmallVector<float>{0, 2.5f, 0}));
}

TEST(Defaults, WhatReplacesADefaultFitsItsInput) {
  OnnxOptions options;
  options.constants = {{"w", HostTensor::zeros({DType::F32, {2}})}};
  EXPECT_EQ(Import(withDefault(), options).error,
            "m.onnx: input 'w' is f32[3]; the constant for it is f32[2]\n");
  options.constants = {{"w", HostTensor::zeros({DType::F32, {3, 1}})}};
  EXPECT_EQ(
      Import(withDefault(), options).error,
      "m.onnx: input 'w' is of rank 1; the constant for it is f32[3x1], of "
      "rank 2\n");
  options.constants = {{"w", HostTensor::zeros({DType::I64, {3}})}};
  EXPECT_EQ(Import(withDefault(), options).error,
            "m.onnx: input 'w' is f32[3]; the constant for it is i64[3]\n");
  options = numbered("1");
  options.numbers = {{"w", "1"}};
  EXPECT_EQ(
      Import(withDefault(), options).error,
      "m.onnx: input 'w' is f32[3]; --constant w=1 is for an input of one "
      "element: give a .npy file\n");
}

TEST(Defaults, ADefaultHoldsUnlessItIsReplaced) {
  Import import(withDefault());
  ASSERT_TRUE(import.ok()) << import.error;
  EXPECT_EQ(import.entry().getNumArguments(), 1u);
  EXPECT_TRUE(import.model.weights.find("w"));
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

TEST(Conditions, NameTheParameterThatTheyFollowFrom) {
  const std::string w =
      "initializer { name: 'w' dims: 4 data_type: 1 float_data: [1, 2, 3, 4] }"
      "node { op_type: 'Add' input: 'x' input: 'w' output: 'biased' }";
  EXPECT_EQ(errorOfCondition(positiveSum(w)),
            "m.onnx: node 'choose' (If): needs its condition while compiling: "
            "it follows from initialiser 'w', which training changes; name "
            "what it changes with --trainable\n");
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
