// SPDX-License-Identifier: Apache-2.0
// Names, variables, bindings and pins of imported models.

#include "ModelBuilder.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"

using namespace smp;

static std::string denseModel(const std::string &batch) {
  return "graph {" + tensorInfo("input", "x", {batch, "4"}) +
         tensorInfo("output", "y", {batch, "2"}) + R"(
    initializer { name: "w" dims: 4 dims: 2 data_type: 1
      float_data: [1, 2, 3, 4, 5, 6, 7, 8] }
    initializer { name: "half" data_type: 1 float_data: 0.5 }
    node { name: "dense" op_type: "MatMul" input: "x" input: "w" output: "h" }
    node { op_type: "Mul" input: "h" input: "half" output: "y" }
  })";
}

TEST(Import, WeightsBecomeVariablesAndScalarsConstants) {
  Import import(parseText(denseModel("3")));
  ASSERT_TRUE(import.ok()) << import.error;
  ASSERT_EQ(import.ops<ir::ReadOp>().size(), 1u);
  EXPECT_EQ(import.ops<ir::ReadOp>()[0].getVariable(), "w");
  const ir::Weight *weight = import.model.weights.find("w");
  ASSERT_TRUE(weight);
  EXPECT_EQ(toString(weight->type), "f32[4x2]");
  float first[2];
  memcpy(first, weight->bytes.data(), sizeof(first));
  EXPECT_EQ(first[1], 2.0f);
  auto variable = *import.model.module->getOps<ir::VariableOp>().begin();
  EXPECT_EQ(variable.getKind(), ir::VariableKind::Parameter);
  EXPECT_FALSE(import.model.weights.find("half"));
}

/// y = x + `literal`, of 512 elements, 2 KiB.
static std::string addModel(const std::string &literal) {
  return "graph {" + tensorInfo("input", "x", {"512"}) +
         tensorInfo("output", "y", {"512"}) +
         "initializer { name: 'c' dims: 512 data_type: 1 float_data: [" +
         literal + "] }" + R"(
    node { op_type: "Neg" input: "c" output: "n" }
    node { op_type: "Add" input: "x" input: "n" output: "y" } })";
}

TEST(Import, LargeLiteralsOfOneValueAreConstants) {
  std::string ones = "1";
  for (int i = 1; i < 511; ++i)
    ones += ", 1";
  Import same(parseText(addModel(ones + ", 1")));
  ASSERT_TRUE(same.ok()) << same.error;
  EXPECT_EQ(same.model.weights.size(), 0u);
  Import other(parseText(addModel(ones + ", 2")));
  ASSERT_TRUE(other.ok()) << other.error;
  EXPECT_TRUE(other.model.weights.find("c"));
}

TEST(Import, OpsAndValuesKeepTheirNames) {
  Import import(parseText(denseModel("3")));
  ASSERT_TRUE(import.ok()) << import.error;
  auto product = import.ops<ir::DotGeneralOp>().at(0);
  EXPECT_EQ(ir::getSourceName(product), "dense");
  EXPECT_EQ(ir::getValueName(product.getResult()), "h");
  auto scaled = import.ops<ir::MulOp>().at(0);
  EXPECT_EQ(ir::getSourceName(scaled), "y") << "a node without a name";
  auto entry = import.entry();
  EXPECT_EQ(entry.getSymName(), "predict");
  EXPECT_EQ(ir::getValueName(entry.getArgument(0)), "x");
}

TEST(Import, AFurtherNameOfAValueIsKept) {
  Import import(
      parseText("graph {" + tensorInfo("input", "x", {"4"}) +
                tensorInfo("output", "y", {"4"}) +
                "node { op_type: 'Relu' input: 'x' output: 'r' }"
                "node { op_type: 'Identity' input: 'r' output: 'y' } }"));
  ASSERT_TRUE(import.ok()) << import.error;
  auto relu = import.ops<ir::ReluOp>().at(0);
  EXPECT_EQ(ir::getValueName(relu.getResult()), "r");
  auto names = ir::getSourceNames(relu.getLoc());
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[1], "y");
}

TEST(Import, TrainableSelectsParameters) {
  OnnxOptions options;
  options.trainable = {"h*f"};
  Import import(parseText(denseModel("3")), options);
  ASSERT_TRUE(import.ok()) << import.error;
  auto variable = *import.model.module->getOps<ir::VariableOp>().begin();
  EXPECT_EQ(variable.getSymName(), "half");
  EXPECT_EQ(variable.getKind(), ir::VariableKind::Parameter);
}

TEST(Import, DimensionsAreBoundByName) {
  OnnxOptions options;
  options.dims["batch"] = 8;
  Import import(parseText(denseModel("batch")), options);
  ASSERT_TRUE(import.ok()) << import.error;
  auto entry = import.entry();
  EXPECT_EQ(
      entry.getArgAttrOfType<mlir::IntegerAttr>(0, ir::kBatchAxisAttr).getInt(),
      0);
  EXPECT_TRUE(entry.getResultAttr(0, ir::kBatchAxisAttr));

  Import unbound(parseText(denseModel("batch")));
  EXPECT_EQ(unbound.error, "m.onnx: does not fix these dimensions: batch "
                           "(x[0]); bind each, as in --dim batch=1\n");
  options.dims["bacth"] = 8;
  Import misspelt(parseText(denseModel("batch")), options);
  EXPECT_EQ(misspelt.error,
            "m.onnx: has no symbolic dimension 'bacth'; it has: batch\n");
}

TEST(Import, AConstantReplacesAnInput) {
  std::string text = "graph {" + tensorInfo("input", "x", {"2", "3"}) +
                     tensorInfo("input", "shape", {"1"}, /*elementType=*/7) +
                     tensorInfo("output", "y", {"6"}) +
                     "node { op_type: 'Reshape' input: 'x' input: 'shape' "
                     "output: 'y' } }";
  Import unbound(parseText(text));
  EXPECT_NE(unbound.error.find("needs its shape ('shape') while compiling"),
            std::string::npos)
      << unbound.error;
  OnnxOptions options;
  HostTensor shape = HostTensor::zeros({DType::I64, {1}});
  shape.as<int64_t>()[0] = -1;
  options.constants["shape"] = shape;
  Import import(parseText(text), options);
  ASSERT_TRUE(import.ok()) << import.error;
  EXPECT_EQ(import.entry().getNumArguments(), 1u);
}

TEST(Import, PinsByPatternPlaceNodes) {
  OnnxOptions options;
  options.pins = {{"*", 0}, {"den*", 2}};
  Import import(parseText(denseModel("3")), options);
  ASSERT_TRUE(import.ok()) << import.error;
  auto placement = ir::getPlacement(import.ops<ir::DotGeneralOp>().at(0));
  EXPECT_EQ(placement.getPartition(), 2);
  EXPECT_TRUE(placement.isUser());
  EXPECT_EQ(ir::getPlacement(import.ops<ir::MulOp>().at(0)).getPartition(), 0);

  options.pins = {{"nothing", 0}};
  EXPECT_EQ(Import(parseText(denseModel("3")), options).error,
            "m.onnx: has no node that pin 'nothing' matches\n");
  options.pins = {{"dense", 3}};
  options.partitions = 3;
  EXPECT_EQ(Import(parseText(denseModel("3")), options).error,
            "m.onnx: pin 'dense' names partition 3; it must be in 0..2\n");
  options.pins = {{"dense", 4294967296}};
  options.partitions = 0;
  EXPECT_EQ(Import(parseText(denseModel("3")), options).error,
            "m.onnx: pin 'dense' names partition 4294967296; it must be in "
            "0..4095\n");
  options.partitions = 1000000000;
  EXPECT_EQ(Import(parseText(denseModel("3")), options).error,
            "m.onnx: the number of partitions is 1000000000; it must be at "
            "least 1 and at most 4096, or 0: as many as pins name\n");
}

TEST(Import, AllUnsupportedOperatorsAreToldAtOnce) {
  Import import(parseText(
      "graph {" + tensorInfo("input", "x", {"4"}) +
      tensorInfo("output", "y", {"4"}) +
      "node { name: 'a' op_type: 'Frobnicate' input: 'x' output: 'b' }"
      "node { name: 'b' op_type: 'Frobnicate' input: 'b' output: 'c' }"
      "node { name: 'c' op_type: 'Gelu' input: 'c' output: 'd' }"
      "node { name: 'd' op_type: 'Fast' domain: 'my' input: 'd' output: 'y' } "
      "}"));
  EXPECT_EQ(
      import.error,
      "m.onnx: uses 3 operators that cannot be imported: Frobnicate (2 nodes, "
      "the first 'a'): no such operator is known; Gelu (1 node, 'c'): it came "
      "with opset 20, the model uses 17; my::Fast (1 node, 'd'): domain 'my' "
      "is not known\n");
}
