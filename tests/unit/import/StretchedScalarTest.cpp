// SPDX-License-Identifier: Apache-2.0
// Scalars that a model stretches to 64 Mi elements make no program of 256 MB.

#include "ModelBuilder.h"
#include "TemporaryFolder.h"
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
