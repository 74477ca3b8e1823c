// SPDX-License-Identifier: Apache-2.0
// Dimensions that are bound while importing.

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

/// The options that bind these inputs to zeros of these shapes.
static OnnxOptions bound(const std::map<std::string, Shape> &shapes) {
  OnnxOptions options;
  for (const auto &[name, shape] : shapes)
    options.constants[name] = HostTensor::zeros({DType::F32, shape});
  return options;
}

TEST(Dimensions, APlaceBindsItsSymbol) {
  OnnxOptions options;
  options.dims = {{"x[1]", 4}};
  auto model = parseText(twoInputs({"b", "seq"}, {"b", "seq"}));
  EXPECT_EQ(Import(model, options).error,
            "m.onnx: does not fix these dimensions: b (x[0], u[0]); bind each, "
            "as in --dim b=1\n");
  options.dims = {{"x[1]", 4}, {"b", 1}};
  Import import(model, options);
  EXPECT_EQ(shapeOf(import, 0), "tensor<1x4xf32>");
  EXPECT_EQ(shapeOf(import, 1), "tensor<1x4xf32>");
}

TEST(Dimensions, AConstantBindsItsSymbols) {
  auto model = parseText(twoInputs({"2", "n"}, {"n"}));
  Import array(model, bound({{"u", {3}}}));
  EXPECT_EQ(shapeOf(array, 0), "tensor<2x3xf32>");
  OnnxOptions options;
  options.numbers = {{"u", "7"}};
  Import number(model, options);
  EXPECT_EQ(shapeOf(number, 0), "tensor<2x1xf32>");
}

TEST(Dimensions, ASymbolHasOneSize) {
  auto model = parseText(twoInputs({"2", "n"}, {"n"}));
  OnnxOptions options;
  options.dims = {{"u[0]", 3}, {"x[1]", 2}};
  EXPECT_EQ(
      Import(model, options).error,
      "m.onnx: cannot give dimension n (x[1], u[0]) two sizes: 3 by --dim "
      "u[0]=3, and 2 by --dim x[1]=2\n");
  options.dims = {{"n", 2}, {"u[0]", 3}};
  EXPECT_EQ(
      Import(model, options).error,
      "m.onnx: cannot give dimension n (x[1], u[0]) two sizes: 2 by --dim "
      "n=2, and 3 by --dim u[0]=3\n");
  options = bound({{"u", {5}}});
  options.dims = {{"n", 3}};
  EXPECT_EQ(
      Import(model, options).error,
      "m.onnx: cannot give dimension n (x[1], u[0]) two sizes: 3 by --dim "
      "n=3, and 5 by the constant for 'u', f32[5]\n");
  EXPECT_EQ(Import(model, bound({{"x", {2, 4}}, {"u", {5}}})).error,
            "m.onnx: cannot give dimension n (x[1], u[0]) two sizes: 4 by the "
            "constant for 'x', f32[2x4], and 5 by the constant for 'u', "
            "f32[5]\n");
  options.dims.clear();
  options.constants.clear();
  options.numbers = {{"u", "7"}};
  options.dims = {{"n", 3}};
  EXPECT_EQ(
      Import(model, options).error,
      "m.onnx: cannot give dimension n (x[1], u[0]) two sizes: 3 by --dim "
      "n=3, and 1 by --constant u=7\n");
  options.numbers.clear();
  options.dims = {{"n", 3}, {"u[0]", 3}};
  Import same(model, options);
  EXPECT_EQ(shapeOf(same, 0), "tensor<2x3xf32>");
}

TEST(Dimensions, APlaceWithoutANameHasOneSizeToo) {
  OnnxOptions options;
  options.dims = {{"unk__7", 3}, {"x[0]", 4}};
  EXPECT_EQ(
      Import(parseText(twoInputs({"unk__7"}, {"2"})), options).error,
      "m.onnx: cannot give dimension x[0] two sizes: 3 by --dim unk__7=3, "
      "and 4 by --dim x[0]=4\n");
}

/// Before what is open is asked for.
TEST(Dimensions, TheRankOfAConstantIsChecked) {
  auto model = parseText(twoInputs({"b", "n"}, {"n"}));
  EXPECT_EQ(Import(model, bound({{"u", {2, 3}}})).error,
            "m.onnx: input 'u' is of rank 1; the constant for it is f32[2x3], "
            "of rank 2\n");
  auto scalar = parseText(twoInputs({"b", "n"}, {}));
  EXPECT_EQ(Import(scalar, bound({{"u", {1}}})).error,
            "m.onnx: input 'u' is of rank 0; the constant for it is f32[1], of "
            "rank 1\n");
}

/// As torch's exporter calls symbols.
TEST(Dimensions, NumberedSymbolsAreNames) {
  auto model = parseText(twoInputs({"s0", "s77"}, {"s0", "s77"}));
  EXPECT_EQ(
      Import(model).error,
      "m.onnx: does not fix these dimensions: s0 (x[0], u[0]), s77 (x[1], "
      "u[1]); bind each, as in --dim s0=1 --dim s77=16\n");
  OnnxOptions options;
  options.dims = {{"s0", 2}, {"s77", 5}};
  Import import(model, options);
  EXPECT_EQ(shapeOf(import, 0), "tensor<2x5xf32>");
  EXPECT_EQ(shapeOf(import, 1), "tensor<2x5xf32>");
}

static std::optional<int64_t> batchAxisOf(Import &import, unsigned argument) {
  auto axis = import.entry().getArgAttrOfType<mlir::IntegerAttr>(
      argument, ir::kBatchAxisAttr);
  return axis ? std::optional(axis.getInt()) : std::nullopt;
}

TEST(Dimensions, TheFirstOfNumberedSymbolsIsGuessedToBeTheBatch) {
  OnnxOptions options;
  options.dims = {{"s0", 2}, {"s77", 5}};
  Import import(parseText(twoInputs({"s0", "s77"}, {"s77", "s0"})), options);
  ASSERT_TRUE(import.ok()) << import.error;
  EXPECT_EQ(batchAxisOf(import, 0), 0);
  EXPECT_EQ(batchAxisOf(import, 1), 1);
  Import later(parseText(twoInputs({"1", "s0"}, {"s77", "s0"})), options);
  ASSERT_TRUE(later.ok()) << later.error;
  EXPECT_EQ(batchAxisOf(later, 0), std::nullopt);
  EXPECT_EQ(batchAxisOf(later, 1), std::nullopt);
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
