// SPDX-License-Identifier: Apache-2.0
// Tensors of equal elements are one in the program, and keep their values:
// scalars that a model stretches to 64 Mi elements, weights that nobody has
// trained.

#include "ModelBuilder.h"
#include "TemporaryFolder.h"
#include "smp/model/Philox.h"
#include "smp/tools/Npy.h"
#include "llvm/Support/FormatVariadic.h"
#include <sys/wait.h>

using namespace smp;

static const std::vector<std::string> kStretched = {"64", "1024", "1024"};

/// Inputs and outputs, and nodes that stretch a scalar over `x` to `r`.
static std::string graph(const std::string &signature,
                         const std::string &nodes) {
  return "graph {" + signature + R"(
    initializer { name: "shape" dims: 3 data_type: 7 int64_data: [64, 1024, 1024] }
    initializer { name: "half" data_type: 1 float_data: 0.5 })" +
         nodes + "}";
}

static void run(const TemporaryFolder &folder, const std::string &command) {
  const int status = std::system(
      ("cd '" + folder.path() + "' && " + command + " >out 2>err").c_str());
  ASSERT_EQ(WEXITSTATUS(status), 0) << folder.read("err");
}

static void compile(const TemporaryFolder &folder, const std::string &text) {
  folder.write("m.onnx", parseText(text).SerializeAsString());
  run(folder, SMP_COMPILE " m.onnx -o m.smp --level v2");
}

static void expectSmallProgram(const std::string &text) {
  TemporaryFolder folder;
  compile(folder, text);
  EXPECT_LT(folder.read("m.smp").size(), size_t(64 * 1024));
}

/// The program of y = r.
static void expectSmall(const std::string &nodes) {
  expectSmallProgram(graph(tensorInfo("input", "x", kStretched) +
                               tensorInfo("output", "r", kStretched),
                           nodes));
}

/// The last element of r, where x is -1.
static void expectLast(const std::string &nodes, const std::string &value) {
  TemporaryFolder folder;
  const std::vector<std::string> one = {"1", "1", "1"};
  compile(folder,
          graph(tensorInfo("input", "x", one) + tensorInfo("output", "y", one) +
                    int64s("last", {63, 1023, 1023}),
                nodes + R"(
    node { op_type: "Slice" input: ["r", "last", "shape"] output: "y" })"));
  const float x[] = {-1};
  ASSERT_TRUE(writeNpy({DType::F32, {1, 1, 1}}, std::as_bytes(std::span(x)),
                       folder.file("x.npy"))
                  .ok());
  run(folder, SMP_RUN " m.smp --input x=x.npy");
  EXPECT_EQ(folder.read("out"), "y: f32[1x1x1] = " + value + "\n");
}

TEST(StretchedScalar, OfAFill) {
  const std::string nodes = R"(
    node { op_type: "ConstantOfShape" input: "shape" output: "c"
      attribute { name: "value" type: TENSOR t { dims: 1 data_type: 1 float_data: 0.25 } } }
    node { op_type: "Sub" input: "x" input: "c" output: "r" })";
  expectSmall(nodes);
  expectLast(nodes, "-1.25");
}

TEST(StretchedScalar, OfAnExpand) {
  const std::string nodes = R"(
    node { op_type: "Expand" input: "half" input: "shape" output: "e" }
    node { op_type: "Neg" input: "e" output: "n" }
    node { op_type: "Mul" input: "x" input: "n" output: "r" })";
  expectSmall(nodes);
  expectLast(nodes, "0.5");
}

TEST(StretchedScalar, OfAFillThatIsMoved) {
  const std::string nodes = R"(
    initializer { name: "other" dims: 3 data_type: 7 int64_data: [1024, 64, 1024] }
    node { op_type: "ConstantOfShape" input: "other" output: "c"
      attribute { name: "value" type: TENSOR t { dims: 1 data_type: 1 float_data: 0.25 } } }
    node { op_type: "Transpose" input: "c" output: "t"
      attribute { name: "perm" ints: [1, 0, 2] type: INTS } }
    node { op_type: "Max" input: "x" input: "t" output: "r" })";
  expectSmall(nodes);
  expectLast(nodes, "0.25");
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

TEST(StretchedScalar, OfAWeight) { expectSmallProgram(multiplied(0x3f000000)); }

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
