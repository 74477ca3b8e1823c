// SPDX-License-Identifier: Apache-2.0
// Small models that ask for a lot: what an import takes follows from the size
// of the model, or from a bound that the error names.

#include "ModelBuilder.h"

using namespace smp;

/// A tensor `name: f32` with this one number.
static std::string float32(const std::string &name, const std::string &value) {
  return "initializer { name: '" + name +
         "' data_type: 1 float_data: " + value + " }";
}

/// A node whose output is `y`.
static std::string node(const std::string &op, const std::string &inputs,
                        const std::string &attributes = "") {
  std::string text = "node { op_type: '" + op + "' output: 'y' " + attributes;
  for (size_t at = 0; at < inputs.size(); ++at)
    text += " input: '" + inputs.substr(at, 1) + "'";
  return text + " }";
}

/// The graph of one input `x: f32[sizes]` and one output `y`.
static Import importGraph(const std::string &graph,
                          const std::vector<std::string> &sizes,
                          const OnnxOptions &options = {}) {
  return Import(parseText("opset_import { version: 19 } graph {" +
                          tensorInfo("input", "x", sizes) +
                          "output { name: 'y' }" + graph + "}"),
                options);
}

static void expectRefused(const std::string &graph,
                          const std::vector<std::string> &sizes,
                          const std::string &told) {
  Import import = importGraph(graph, sizes);
  EXPECT_FALSE(import.ok());
  EXPECT_NE(import.error.find(told), std::string::npos)
      << "'" << told << "' is not in: " << import.error;
}

static const std::string kMany = "4294967296";    // 2^32
static const std::string kHuge = "1099511627776"; // 2^40

TEST(DemandingModel, SumsOverNeighbours) {
  expectRefused(node("LRN", "x",
                     "attribute { name: 'size' type: INT i: "
                     "2147483648 }"),
                {"1", "4"}, "sums over 2147483648 features");
}

TEST(DemandingModel, FramesOfASignal) {
  expectRefused(int64s("s", {1}) + int64s("l", {4096}) +
                    "initializer { name: 'n' data_type: 7 int64_data: 1 } "
                    "node { op_type: 'STFT' input: 'x' input: 's' input: '' "
                    "input: 'l' output: 'y' }",
                {"1", "1073741824"}, "1073737729 frames of 4096 samples");
}

TEST(DemandingModel, BandsOfASpectrum) {
  const std::string type =
      "attribute { name: 'output_datatype' type: INT i: 1 }";
  expectRefused(int64s("b", {4096}) + int64s("l", {1 << 20}) +
                    int64s("r", {8000}) + float32("f", "0") +
                    float32("t", "4000") +
                    node("MelWeightMatrix", "blrft", type),
                {"4"}, "4096.000000 bands of 1048576.000000 samples");
  expectRefused(int64s("b", {2}) + int64s("l", {64}) + int64s("r", {1}) +
                    float32("f", "0") + float32("t", "1e38") +
                    node("MelWeightMatrix", "blrft", type),
                {"4"}, "edges");
}

TEST(DemandingModel, RangesWithoutAnEnd) {
  expectRefused(float32("a", "0") + float32("b", "-inf") + float32("c", "1") +
                    node("Range", "abc"),
                {"4"}, "counts -inf");
}

TEST(DemandingModel, ResizesThatReachFar) {
  expectRefused(int64s("s", {1 << 20}) +
                    "node { op_type: 'Resize' input: 'x' input: '' input: '' "
                    "input: 's' output: 'y' "
                    "attribute { name: 'antialias' type: INT i: 1 } "
                    "attribute { name: 'mode' type: STRING s: 'linear' } }",
                {kMany}, "resizes dimension 0 from " + kMany);
}

TEST(DemandingModel, ListsOfEqualNumbers) {
  const std::string list = int64s("n", {int64_t(1) << 40}) +
                           "node { op_type: 'ConstantOfShape' input: 'n' "
                           "output: 'c' attribute { name: 'value' type: TENSOR "
                           "t { data_type: 7 dims: 1 int64_data: 1 } } }";
  expectRefused(list + node("Reshape", "xc"), {"4"}, kHuge + " numbers");
  // As indices they are taken, whatever their number.
  Import gathered = importGraph(list + node("Gather", "xc"), {"4"});
  EXPECT_TRUE(gathered.ok()) << gathered.error;
}

TEST(DemandingModel, ConstantsBesideRows) {
  OnnxOptions options;
  options.dims["batch"] = 2;
  Import import = importGraph(
      int64s("n", {1, int64_t(1) << 32}) +
          "node { op_type: 'ConstantOfShape' input: 'n' output: 'c' }" +
          node("Add", "xc"),
      {"batch", kMany}, options);
  EXPECT_TRUE(import.ok()) << import.error;
}
