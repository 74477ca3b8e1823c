// SPDX-License-Identifier: Apache-2.0
// Models that are wrong on purpose: each gives one error that names the thing,
// the value and what would be right.

#include "ModelBuilder.h"
#include "smp/ir/GraphExport.h"
#include "smp/model/Reference.h"

using namespace smp;

/// The error for a graph of one input `x: f32[4]` and one output `y`.
static std::string errorOf(const std::string &graph, int64_t opset = 17) {
  onnx::ModelProto model =
      parseText("opset_import { version: " + std::to_string(opset) +
                " } graph {" + tensorInfo("input", "x", {"4"}) +
                tensorInfo("output", "y", {"4"}) + graph + "}");
  Import import(model);
  EXPECT_FALSE(import.ok());
  return import.error;
}

static void expectTold(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos)
      << "'" << part << "' is not in: " << error;
}

TEST(WrongModel, NoModelAtAll) {
  expectTold(Import(std::string()).error, "empty");
  expectTold(Import(std::string("What is this?")).error, "truncated");
  expectTold(Import(std::string("\x08\x08", 2)).error, "graph");
}

TEST(WrongModel, MissingFile) {
  mlir::MLIRContext context;
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    error += d.str();
    return mlir::success();
  });
  EXPECT_TRUE(failed(importOnnx(&context, "nowhere/m.onnx", OnnxOptions())));
  expectTold(error, "nowhere/m.onnx: cannot read it: No such file");
}

TEST(WrongModel, Cycles) {
  std::string error =
      errorOf("node { name: 'a' op_type: 'Add' input: 'x' input: 'q' output: "
              "'p' } node { name: 'b' op_type: 'Relu' input: 'p' output: 'q' } "
              "node { op_type: 'Relu' input: 'q' output: 'y' }");
  expectTold(error, "node 'a' (Add)");
  expectTold(error, "cycle");
  expectTold(errorOf("node { op_type: 'Relu' input: 'y' output: 'y' }"),
             "cycle");
}

TEST(WrongModel, NamesThatNobodyDefinesOrTwoDo) {
  expectTold(errorOf("node { op_type: 'Relu' input: 'z' output: 'y' }"), "'z'");
  expectTold(errorOf("node { op_type: 'Relu' input: 'x' output: 'y' } node { "
                     "op_type: 'Abs' input: 'x' output: 'y' }"),
             "'y', which is defined already");
}

TEST(WrongModel, Opsets) {
  const std::string relu = "node { op_type: 'Relu' input: 'x' output: 'y' }";
  expectTold(errorOf("node { op_type: 'Add' input: 'x' input: 'x' output: 'y' "
                     "}",
                     6),
             "opset 7 or newer");
  expectTold(errorOf(relu, 0), "opset 0; supported are 7..28");
  expectTold(errorOf(relu, 29), "opset 29; supported are 7..28");
  expectTold(errorOf(relu, -1), "opset -1");
}

TEST(WrongModel, ElementTypes) {
  for (auto [type, name] :
       {std::pair(8, "STRING"), std::pair(14, "COMPLEX64"),
        std::pair(0, "UNDEFINED"), std::pair(17, "FLOAT8E4M3FN"),
        std::pair(22, "INT4"), std::pair(23, "FLOAT4E2M1"),
        std::pair(24, "FLOAT8E8M0"), std::pair(26, "INT2"),
        std::pair(28, "FLOAT6E3M2"), std::pair(1234, "number 1234")}) {
    Import import(parseText("graph {" + tensorInfo("input", "x", {"4"}, type) +
                            tensorInfo("output", "y", {"4"}) +
                            "node { op_type: 'Relu' input: 'x' output: 'y' }"
                            "}"));
    EXPECT_FALSE(import.ok());
    expectTold(import.error, name);
    expectTold(import.error, "'x'");
  }
  expectTold(errorOf("node { op_type: 'Cast' input: 'x' output: 'y' attribute "
                     "{ name: 'to' type: INT i: 77 } }"),
             "77");
}

TEST(WrongModel, ElementTypesThatAreComputed) {
  auto castTo = [](int type) {
    return errorOf("node { name: 'n' op_type: 'Cast' input: 'x' output: 'y' "
                   "attribute { name: 'to' type: INT i: " +
                       std::to_string(type) + " } }",
                   25);
  };
  expectTold(castTo(17), "node 'n' (Cast): element type FLOAT8E4M3FN");
  expectTold(castTo(25), "node 'n' (Cast): element type UINT2");
  expectTold(errorOf("node { name: 'n' op_type: 'BitCast' input: 'x' output: "
                     "'y' attribute { name: 'to' type: INT i: 11 } }",
                     26),
             "the bits of 32-bit elements as 64-bit ones");
}

TEST(WrongModel, Attributes) {
  expectTold(errorOf("node { name: 'n' op_type: 'Softmax' input: 'x' output: "
                     "'y' attribute { name: 'axis' type: INT i: 5 } }"),
             "5");
  expectTold(errorOf("node { name: 'n' op_type: 'Relu' input: 'x' output: 'y' "
                     "attribute { name: 'speed' type: INT i: 5 } }"),
             "speed");
  expectTold(errorOf("node { name: 'n' op_type: 'Transpose' input: 'x' "
                     "output: 'y' attribute { name: 'perm' type: INTS ints: "
                     "[0, 0] } }"),
             "'n'");
}

/// The error for a weight `w` that is added to x.
static std::string errorOfWeight(const std::string &tensor) {
  return errorOf("initializer { name: 'w' data_type: 1 " + tensor +
                 " } node { op_type: 'Add' input: 'x' input: 'w' output: 'y' "
                 "}");
}

TEST(WrongModel, ShapesOfWeights) {
  expectTold(errorOfWeight("dims: -4 float_data: 1"), "[-4]");
  expectTold(errorOfWeight("dims: 4 float_data: 1"), "'w'");
  expectTold(errorOfWeight("dims: [4611686018427387904, 4]"),
             "4611686018427387904");
  expectTold(errorOfWeight("dims: 4 raw_data: 'abc'"), "'w'");
}

TEST(WrongModel, ShapesOfInputs) {
  auto error = [](const std::vector<std::string> &shape) {
    Import import(parseText("graph {" + tensorInfo("input", "x", shape) +
                            tensorInfo("output", "y", shape) +
                            "node { op_type: 'Relu' input: 'x' output: 'y' "
                            "} }"));
    EXPECT_FALSE(import.ok());
    return import.error;
  };
  expectTold(error({"9223372036854775807", "4"}), "9223372036854775807");
  expectTold(error({"4294967296", "4294967296"}), "4294967296");
  expectTold(error({"n"}), "--dim n=");
}

TEST(WrongModel, ShapesThatAreComputed) {
  const int64_t huge = int64_t(1) << 41;
  expectTold(errorOf(int64s("s", {3}) + "node { op_type: 'Reshape' input: 'x' "
                                        "input: 's' output: 'y' }"),
             "Reshape");
  expectTold(errorOf(int64s("s", {-1, -1}) +
                     "node { op_type: 'Reshape' input: 'x' input: 's' output: "
                     "'y' }"),
             "-1");
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{-2}, {huge}, {huge, huge}}) {
    expectTold(errorOf(int64s("s", shape) +
                       "node { op_type: 'ConstantOfShape' input: 's' output: "
                       "'y' }"),
               "ConstantOfShape");
    expectTold(errorOf(int64s("s", shape) +
                       "node { op_type: 'Expand' input: 'x' input: 's' "
                       "output: 'y' }"),
               "Expand");
    expectTold(errorOf(int64s("s", {shape.back()}) +
                       "node { op_type: 'Tile' input: 'x' input: 's' output: "
                       "'y' }"),
               "Tile");
  }
  expectTold(errorOf(int64s("p", {0, huge}) +
                     "node { op_type: 'Pad' input: 'x' input: 'p' output: 'y' "
                     "}"),
             "Pad");
  expectTold(errorOf("initializer { name: 'a' data_type: 7 int64_data: 0 } "
                     "initializer { name: 'b' data_type: 7 int64_data: "
                     "9223372036854775807 } initializer { name: 'c' "
                     "data_type: 7 int64_data: 1 } node { op_type: 'Range' "
                     "input: 'a' input: 'b' input: 'c' output: 'y' }"),
             "Range");
}

/// Integers that wrap are no sizes, whatever was computed with them since.
TEST(WrongModel, SizesThatWrap) {
  const std::string factors =
      int64s("a", {int64_t(1) << 33}) + int64s("four", {4});
  const std::string reshape =
      "node { op_type: 'Reshape' input: 'x' input: 's' output: 'y' }";
  auto wrapped = [&](const std::string &nodes) {
    expectTold(errorOf(factors + nodes + reshape),
               "takes its shape ('s') from integers that 64 bits do not hold: "
               "one would be 7.38e+19");
  };
  wrapped("node { op_type: 'Mul' input: 'a' input: 'a' output: 'm' }"
          "node { op_type: 'Add' input: 'm' input: 'four' output: 's' }");
  wrapped("node { op_type: 'Concat' input: 'a' input: 'a' output: 'p' "
          "attribute { name: 'axis' type: INT i: 0 } }"
          "node { op_type: 'ReduceProd' input: 'p' output: 'm' }"
          "node { op_type: 'Max' input: 'm' input: 'four' output: 's' }");
}

TEST(WrongModel, IntegersByZero) {
  const std::string numbers = int64s("a", {8}) + int64s("zero", {0});
  for (const char *op : {"Div", "Mod"})
    expectTold(errorOf(numbers + "node { op_type: '" + op +
                       "' input: 'a' input: 'zero' output: 's' }"
                       "node { op_type: 'Reshape' input: 'x' input: 's' "
                       "output: 'y' }"),
               "divides integers by a constant that is 0");
}

TEST(WrongModel, MeasuresOfAWindow) {
  auto error = [](const std::string &attributes) {
    Import import(
        parseText("graph {" + tensorInfo("input", "x", {"1", "1", "4", "4"}) +
                  tensorInfo("output", "y", {"1", "1", "4", "4"}) +
                  "node { op_type: 'MaxPool' input: 'x' output: 'y' " +
                  attributes + " } }"));
    EXPECT_FALSE(import.ok()) << attributes;
    expectTold(import.error, "MaxPool");
  };
  auto ints = [](const std::string &name, const std::string &values) {
    return "attribute { name: '" + name + "' type: INTS ints: [" + values +
           "] } ";
  };
  error("");
  error(ints("kernel_shape", "0, 2"));
  error(ints("kernel_shape", "-1, 2"));
  error(ints("kernel_shape", "5, 2"));
  error(ints("kernel_shape", "2"));
  error(ints("kernel_shape", "2, 2") + ints("strides", "0, 1"));
  error(ints("kernel_shape", "2, 2") + ints("pads", "1, 1"));
  error(ints("kernel_shape", "2, 2") + ints("dilations", "1, -1"));
  error(ints("kernel_shape", "2, 2") +
        ints("pads", "9223372036854775807, 0, 9223372036854775807, 0"));
}

/// The error for a node over inputs `a`, `b` and `c` of these shapes.
static std::string errorOfNode(const std::string &node,
                               const std::vector<std::string> &a,
                               const std::vector<std::string> &b,
                               const std::vector<std::string> &c) {
  Import import(
      parseText("opset_import { version: 27 } graph {" +
                tensorInfo("input", "a", a) + tensorInfo("input", "b", b) +
                tensorInfo("input", "c", c) + tensorInfo("output", "y", a) +
                "node { " + node + " input: ['a', 'b', 'c'] output: 'y' } }"));
  EXPECT_FALSE(import.ok());
  return import.error;
}

TEST(WrongModel, CachesAndStates) {
  const std::vector<std::string> cache{"2", "4", "3"};
  expectTold(errorOfNode("op_type: 'CausalConvWithState'", cache,
                         {"4", "2", "3"}, {"4"}),
             "[4, 1, size]");
  expectTold(errorOfNode("op_type: 'LinearAttention'", cache, cache, cache),
             "0 heads");
  expectTold(errorOfNode("op_type: 'DeformConv'", {"1", "1", "4", "4"},
                         {"1", "1", "2", "2"}, {"1", "7", "3", "3"}),
             "do not fit its input");
}

TEST(WrongModel, BlocksOfAnImage) {
  auto error = [](const std::vector<int64_t> &image,
                  const std::vector<int64_t> &block) {
    Import import(parseText(
        "opset_import { version: 18 } graph {" +
        tensorInfo("input", "x", {"1", "4", "4"}) +
        tensorInfo("output", "y", {"1", "1", "3", "3"}) + int64s("i", image) +
        int64s("b", block) +
        "node { op_type: 'Col2Im' input: ['x', 'i', 'b'] output: 'y' } }"));
    EXPECT_FALSE(import.ok());
    return import.error;
  };
  const int64_t huge = int64_t(1) << 62;
  expectTold(error({3, 3}, {huge, 2}), std::to_string(huge));
  expectTold(error({huge, 3}, {2, 2}), std::to_string(huge));
  expectTold(error({3, 3}, {2, 4}), "blocks of size 4");
  expectTold(error({3, 3}, {2}), "Col2Im");
  expectTold(error({9, 9}, {2, 2}), "do not fit its blocks");
  expectTold(error({600, 600}, {600, 600}), "more than 1024");
}

/// Counted from the end or not, an index out of range is reported as it was
/// given.
TEST(WrongModel, IndicesOutOfRange) {
  Import import(parseText(
      "opset_import { version: 17 } graph {" + tensorInfo("input", "x", {"4"}) +
      tensorInfo("output", "y", {"2"}) + int64s("i", {-4, -9}) +
      "node { op_type: 'Gather' input: 'x' input: 'i' output: 'y' } }"));
  ASSERT_TRUE(import.ok()) << import.error;
  auto graph = ir::exportGraph(import.entry());
  ASSERT_TRUE(succeeded(graph));
  const HostTensor x = HostTensor::zeros({DType::F32, {4}});
  const Evaluation evaluation =
      evaluate(*graph, {&x, 1}, [](std::string_view) { return nullptr; });
  EXPECT_NE(evaluation.error.find("index -9 is not in 0..3"), std::string::npos)
      << evaluation.error;
}
