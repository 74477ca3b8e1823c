// SPDX-License-Identifier: Apache-2.0
// Scalars that a model stretches to 64 Mi elements make no program of 256 MB,
// and keep their values.

#include "ModelBuilder.h"
#include "TemporaryFolder.h"
#include "smp/tools/Npy.h"
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

/// The program of y = r.
static void expectSmall(const std::string &nodes) {
  TemporaryFolder folder;
  compile(folder, graph(tensorInfo("input", "x", kStretched) +
                            tensorInfo("output", "r", kStretched),
                        nodes));
  EXPECT_LT(folder.read("m.smp").size(), size_t(64 * 1024));
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
