// SPDX-License-Identifier: Apache-2.0
// Damaged bytes: whatever they are, a model or one error, and no crash.

#include "ModelBuilder.h"
#include "smp/ir/Names.h"
#include <filesystem>
#include <fstream>

using namespace smp;
namespace fs = std::filesystem;

namespace {
/// Imports many models in one context.
class Importing {
public:
  Importing()
      : handler(&context, [this](mlir::Diagnostic &d) {
          errors += d.getSeverity() == mlir::DiagnosticSeverity::Error;
          return mlir::success();
        }) {}

  /// Whether it is a model; if not, there must be one error.
  bool isModel(const std::string &bytes) {
    errors = 0;
    auto imported = importOnnx(&context, bytes, "m.onnx", ".", {});
    if (failed(imported))
      EXPECT_EQ(errors, 1);
    return succeeded(imported);
  }

private:
  mlir::MLIRContext context;
  int errors = 0;
  mlir::ScopedDiagnosticHandler handler;
};
} // namespace

/// A small model of many kinds of things: weights, shapes that are computed,
/// attributes of several types, bodies, a function, device configurations.
static std::string richModel() {
  std::string body =
      "input { name: 'i' } input { name: 'c' } input { name: 's' } "
      "node { op_type: 'Identity' input: 'c' output: 'd' } "
      "node { op_type: 'Add' input: 's' input: 'half' output: 't' } "
      "output { name: 'd' } output { name: 't' }";
  return parseText(R"(
    ir_version: 8
    opset_import { version: 17 } opset_import { domain: "f" version: 1 }
    functions { name: "twice" domain: "f" input: "a" output: "b"
      opset_import { version: 17 }
      node { op_type: "Add" input: "a" input: "a" output: "b" } }
    graph {)" + tensorInfo("input", "x", {"2", "3", "4", "4"}) +
                   tensorInfo("output", "y", {"2", "8"}) + R"(
      initializer { name: "w" dims: [2, 3, 3, 3] data_type: 1 raw_data: ")" +
                   std::string(54 * 4, ' ') + R"(" }
      initializer { name: "half" data_type: 1 float_data: 0.5 }
      initializer { name: "trips" data_type: 7 int64_data: 2 }
      initializer { name: "sizes" dims: 2 data_type: 7 int64_data: [0, -1] }
      node { name: "conv" op_type: "Conv" input: "x" input: "w" output: "h"
        attribute { name: "pads" type: INTS ints: [1, 1, 1, 1] }
        attribute { name: "auto_pad" type: STRING s: "NOTSET" } }
      node { op_type: "MaxPool" input: "h" output: "p"
        attribute { name: "kernel_shape" type: INTS ints: [2, 2] }
        attribute { name: "strides" type: INTS ints: [2, 2] } }
      node { op_type: "twice" domain: "f" input: "p" output: "q" }
      node { op_type: "Reshape" input: "q" input: "sizes" output: "r" }
      node { op_type: "Softmax" input: "r" output: "v"
        attribute { name: "axis" type: INT i: -1 } }
      node { op_type: "Loop" input: "trips" input: "" input: "v" output: "y"
        attribute { name: "body" type: GRAPH g { )" +
                   body + R"( } } }
    })")
      .SerializeAsString();
}

TEST(CorruptModel, TheRichModelIsSound) {
  Import import(richModel());
  EXPECT_TRUE(import.ok()) << import.error;
}

TEST(CorruptModel, TruncatedAtEveryLength) {
  std::string model = richModel();
  Importing importing;
  for (size_t length = 0; length < model.size(); ++length)
    EXPECT_FALSE(importing.isModel(model.substr(0, length))) << length;
}

TEST(CorruptModel, EverySingleBitFlipped) {
  std::string model = richModel();
  Importing importing;
  size_t models = 0;
  for (size_t at = 0; at < model.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = model;
      damaged[at] = char(damaged[at] ^ 1 << bit);
      models += importing.isModel(damaged);
    }
  EXPECT_GT(models, 0u) << "a changed weight is a model too";
  EXPECT_LT(models, model.size() * 8);
}

TEST(CorruptModel, EveryByteReplaced) {
  std::string model = richModel();
  Importing importing;
  for (size_t at = 0; at < model.size(); ++at)
    for (int value : {0x00, 0x7F, 0x80, 0xFF}) {
      std::string damaged = model;
      damaged[at] = char(value);
      importing.isModel(damaged);
    }
}

/// The recorded node cases are models of nearly every operator.
TEST(CorruptModel, AByteOfEachNodeCaseReplaced) {
  size_t cases = 0;
  for (const auto &entry :
       fs::directory_iterator(SMP_TEST_SOURCE_DIR "/conformance/cases")) {
    std::ifstream file(entry.path() / "model.onnx", std::ios::binary);
    std::string model{std::istreambuf_iterator<char>(file), {}};
    Importing importing;
    for (size_t at = 0; at < model.size(); ++at) {
      std::string damaged = model;
      damaged[at] = char(damaged[at] ^ 1 << (at + cases) % 8);
      importing.isModel(damaged);
    }
    ++cases;
  }
  EXPECT_GT(cases, 100u);
}
