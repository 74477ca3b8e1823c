// SPDX-License-Identifier: Apache-2.0
// Tensors of equal elements are one in the program: scalars that a model
// stretches to 64 Mi elements, weights that nobody has trained.

#include "ModelBuilder.h"
#include "TemporaryFolder.h"
#include "smp/model/Philox.h"
#include "llvm/Support/FormatVariadic.h"
#include <sys/wait.h>

using namespace smp;

/// y = `op` of x and a scalar, stretched before or after an op of its own.
static std::string stretched(const std::string &nodes) {
  const std::vector<std::string> shape = {"64", "1024", "1024"};
  return "graph {" + tensorInfo("input", "x", shape) +
         tensorInfo("output", "y", shape) + R"(
    initializer { name: "shape" dims: 3 data_type: 7 int64_data: [64, 1024, 1024] }
    initializer { name: "half" data_type: 1 float_data: 0.5 })" +
         nodes + "}";
}

/// The bytes of the program that the command makes of the model.
static size_t programSize(const std::string &text) {
  TemporaryFolder folder;
  folder.write("m.onnx", parseText(text).SerializeAsString());
  const std::string command = "cd '" + folder.path() +
                              "' && " SMP_COMPILE
                              " m.onnx -o m.smp --level v2 2>err";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0) << folder.read("err");
  return folder.read("m.smp").size();
}

static constexpr size_t kMost = 64 * 1024;

TEST(StretchedScalar, OfAFill) {
  EXPECT_LT(programSize(stretched(R"(
    node { op_type: "ConstantOfShape" input: "shape" output: "c" }
    node { op_type: "Sub" input: "x" input: "c" output: "y" })")),
            kMost);
}

TEST(StretchedScalar, OfAnExpand) {
  EXPECT_LT(programSize(stretched(R"(
    node { op_type: "Expand" input: "half" input: "shape" output: "e" }
    node { op_type: "Neg" input: "e" output: "n" }
    node { op_type: "Mul" input: "x" input: "n" output: "y" })")),
            kMost);
}

TEST(StretchedScalar, OfAFillThatIsMoved) {
  EXPECT_LT(programSize(stretched(R"(
    initializer { name: "other" dims: 3 data_type: 7 int64_data: [1024, 64, 1024] }
    node { op_type: "ConstantOfShape" input: "other" output: "c" }
    node { op_type: "Transpose" input: "c" output: "t"
      attribute { name: "perm" ints: [1, 0, 2] type: INTS } }
    node { op_type: "Max" input: "x" input: "t" output: "y" })")),
            kMost);
}

/// A model that multiplies x by a weight of 4 MiB whose floats are all `bits`.
static std::string multiplied(uint32_t bits) {
  std::string raw;
  for (int i = 0; i < 4; ++i)
    raw += llvm::formatv("\\x{0:x-2}", (bits >> (8 * i)) & 0xff);
  std::string all;
  for (int i = 0; i < 1024 * 1024; ++i)
    all += raw;
  return "graph {" + tensorInfo("input", "x", {"1", "1024"}) +
         tensorInfo("output", "y", {"1", "1024"}) +
         "initializer { name: 'w' dims: [1024, 1024] data_type: 1 raw_data: '" +
         all + "' } node { op_type: 'MatMul' input: ['x', 'w'] output: 'y' } }";
}

TEST(StretchedScalar, OfAWeight) {
  EXPECT_LT(programSize(multiplied(0x3f000000)), kMost);
}

/// It stays a variable that can be trained and stored, with the same bits.
TEST(StretchedScalar, OfAWeightThatIsAVariable) {
  const auto variableOf = [](Import &import) {
    EXPECT_TRUE(import.ok()) << import.error;
    return *import.model.module->getOps<ir::VariableOp>().begin();
  };
  for (uint32_t bits : {0x3f000000u, 0x80000000u, 0xc2280000u, 1u}) {
    Import import(parseText(multiplied(bits)));
    ir::VariableOp variable = variableOf(import);
    EXPECT_EQ(variable.getKind(), ir::VariableKind::Parameter);
    auto splat = mlir::dyn_cast<ir::SplatAttr>(variable.getInitializer());
    ASSERT_TRUE(splat);
    uint32_t first = 0;
    fillSplat(std::as_writable_bytes(std::span(&first, 1)), DType::F32,
              splat.getValue().convertToDouble());
    EXPECT_EQ(first, bits);
    EXPECT_FALSE(import.model.weights.find("w"));
  }
  // NaN and infinity are no numbers that a splat can be written as.
  for (uint32_t bits : {0x7fc00001u, 0xff800000u}) {
    Import import(parseText(multiplied(bits)));
    EXPECT_TRUE(mlir::isa<ir::StoredAttr>(variableOf(import).getInitializer()));
    EXPECT_TRUE(import.model.weights.find("w"));
  }
}
