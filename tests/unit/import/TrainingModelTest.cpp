// SPDX-License-Identifier: Apache-2.0
// ONNX's operators for training: what they become, and models of them that are
// wrong. Their numbers are in the conformance suite.

#include "ModelBuilder.h"

using namespace smp;

static const std::string kDomain = "ai.onnx.preview.training";
static const std::string kOpsets = "opset_import { version: 17 } opset_import "
                                   "{ domain: '" +
                                   kDomain + "' version: 1 }";

static std::string node(const std::string &op, const std::string &inputs,
                        const std::string &outputs,
                        const std::string &attributes = "") {
  auto list = [](const std::string &field, const std::string &names) {
    std::string text, name;
    std::istringstream words(names);
    while (words >> name)
      text += field + ": '" + name + "' ";
    return text;
  };
  bool isOnnx = op == "Add" || op == "Mul" || op == "ReduceSum";
  return "node { name: '" + op + "' op_type: '" + op + "' " +
         (isOnnx ? "" : "domain: '" + kDomain + "' ") + list("input", inputs) +
         list("output", outputs) + attributes + "}\n";
}

static std::string strings(const std::string &name,
                           const std::vector<std::string> &values) {
  std::string text = "attribute { name: '" + name + "' type: STRINGS ";
  for (const std::string &value : values)
    text += "strings: '" + value + "' ";
  return text + "} ";
}

static std::string gradient(const std::string &inputs,
                            const std::vector<std::string> &xs,
                            const std::vector<std::string> &zs,
                            const std::string &y) {
  std::string attributes = strings("xs", xs) +
                           "attribute { name: 'y' type: STRING s: '" + y +
                           "' } ";
  if (!zs.empty())
    attributes += strings("zs", zs);
  return node("Gradient", inputs, "g", attributes);
}

/// A graph of inputs `x`, `w`: f32[4] and output `g`.
static std::string graph(const std::string &nodes) {
  return kOpsets + " graph {" + tensorInfo("input", "x", {"4"}) +
         tensorInfo("input", "w", {"4"}) + tensorInfo("output", "g", {"4"}) +
         nodes + "}";
}

static const std::string kLoss =
    node("Mul", "x w", "p") +
    node("ReduceSum", "p", "y",
         "attribute { name: 'keepdims' type: INT i: 0 } ");

static std::string errorOf(const std::string &text) {
  Import import(parseText(text));
  EXPECT_FALSE(import.ok());
  return import.error;
}

static void expectTold(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos)
      << "'" << part << "' is not in: " << error;
}

TEST(GradientModel, IsAnOp) {
  Import import(parseText(graph(kLoss + gradient("x w", {"x"}, {"w"}, "y"))));
  ASSERT_TRUE(import.ok()) << import.error;
  auto gradients = import.ops<ir::GradientOp>();
  ASSERT_EQ(gradients.size(), 1u);
  EXPECT_EQ(gradients[0].getValues().size(), 1u);
  EXPECT_EQ(gradients[0].getValues()[0], import.entry().getArgument(0));
  EXPECT_TRUE(isa<ir::ReduceOp>(gradients[0].getLoss().getDefiningOp()));
}

/// Before what it speaks of, which none of its inputs needs.
TEST(GradientModel, MayComeFirst) {
  Import import(parseText(graph(gradient("x", {"x"}, {}, "y") + kLoss)));
  EXPECT_TRUE(import.ok()) << import.error;
}

TEST(GradientModel, OfAnotherPointIsRefused) {
  expectTold(errorOf(graph(kLoss + gradient("w", {"x"}, {}, "y"))),
             "node 'Gradient' (Gradient): takes another value for 'x' than the "
             "graph has; give it 'x'");
}

TEST(GradientModel, WantsIndependentValues) {
  expectTold(errorOf(graph(kLoss + gradient("x p", {"x", "p"}, {}, "y"))),
             "has 'p' held while what it is computed from changes");
  expectTold(errorOf(graph(kLoss + gradient("x p", {"x"}, {"p"}, "y"))),
             "has 'p' held while what it is computed from changes");
}

TEST(GradientModel, WantsItsNames) {
  expectTold(errorOf(graph(kLoss + gradient("x w", {"x"}, {}, "y"))),
             "has 2 inputs for the 1 names in 'xs' and 'zs'");
  expectTold(errorOf(graph(kLoss + gradient("x", {"x"}, {}, "q"))), "'q'");
  expectTold(errorOf(graph(kLoss + node("Gradient", "x", "g"))),
             "needs the attributes 'xs' and 'y'");
  expectTold(errorOf(graph(kLoss + gradient("x", {"x"}, {}, "p"))),
             "a loss is one float");
}

/// A graph with the step's numbers and one tensor of shape [4] per list.
static std::string optimizing(const std::string &text) {
  return kOpsets + " graph {" + tensorInfo("input", "r", {}) +
         tensorInfo("input", "t", {}, 7) + tensorInfo("input", "x", {"4"}) +
         tensorInfo("input", "d", {"4"}) + tensorInfo("input", "v", {"4"}) +
         tensorInfo("input", "s", {"3"}) + tensorInfo("output", "g", {"4"}) +
         text + "}";
}

TEST(OptimizerModel, ChecksItsLists) {
  expectTold(errorOf(optimizing(node("Adam", "r t x d v", "g"))),
             "has 5 inputs; it takes R, T and 4 lists of tensors");
  expectTold(errorOf(optimizing(node("Adagrad", "r t x d s", "g"))),
             "needs floats of one type for tensor 0 in all its lists");
  expectTold(errorOf(optimizing(node("Adagrad", "x t x d v", "g"))),
             "has an input 0 that is not one number");
  expectTold(errorOf(optimizing(node("Momentum", "r t x d v", "g"))),
             "has no attribute 'alpha', which is needed");
}

TEST(TrainingDomain, HasItsOwnVersion) {
  std::string text = optimizing(node("Adagrad", "r t x d v", "g"));
  EXPECT_TRUE(Import(parseText(text)).ok());
  std::string other = text;
  other.replace(other.find("version: 1 "), 10, "version: 2");
  expectTold(errorOf(other), "uses version 2 of the domain");
  std::string none =
      "opset_import { version: 17 } " + text.substr(kOpsets.size());
  expectTold(errorOf(none), "does not say which version of its operators");
  // Only operators for training are used.
  std::string alone = "opset_import { domain: '" + kDomain + "' version: 1 }" +
                      text.substr(kOpsets.size());
  EXPECT_TRUE(Import(parseText(alone)).ok());
  expectTold(errorOf("opset_import { domain: '" + kDomain + "' version: 1 }" +
                     graph(kLoss).substr(kOpsets.size())),
             "does not say which version of its operators");
}
