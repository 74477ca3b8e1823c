// SPDX-License-Identifier: Apache-2.0
// What a GraphBuilder makes: ops, names, variables, entries, and its errors.

#include "BuilderHelpers.h"
#include "RowCases.h"
#include "smp/import/Layers.h"

using namespace smp;
using namespace smp::test;

namespace {

const TensorType kVector{DType::F32, {4}};

/// The names of the ops of an entry, in order.
std::vector<std::string> opNames(Model &model, llvm::StringRef entry) {
  std::vector<std::string> names;
  for (mlir::Operation &op : entryOf(model.parts(), entry).getBody().front())
    if (!mlir::isa<ir::ReturnOp>(op))
      names.push_back(ir::getSourceName(&op).str());
  return names;
}

/// The error of a model that `build` makes.
std::string errorOf(llvm::function_ref<void(GraphBuilder &)> build) {
  GraphBuilder g;
  build(g);
  auto model = std::move(g).finish();
  EXPECT_FALSE(model.ok());
  return model.ok() ? "" : model.status().message();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

TEST(GraphBuilder, HasACallForEveryOpOfTheDialect) {
  GraphBuilder g;
  for (const RowCase &one : rowCases()) {
    g.beginEntry(one.op + std::to_string(&one - rowCases().data()));
    RowOperands operands(g, /*rows=*/2, /*seed=*/1, /*variant=*/0);
    g.output("y", one.build(operands));
  }
  // What those do not need.
  g.beginEntry("step");
  Tensor x = g.input("x", {DType::F32, {2, 4}});
  VariableRef count = g.variable("count", {DType::F32, {}},
                                 InitialValue::zeros(), VariableRole::State);
  g.assign(count, g.read(count) + 1);
  Tensor loss = g.sum(x * x, {0, 1});
  g.output("gradient", g.gradients(loss, {x}).front());
  g.output("draw", g.accumulate(g.random(x.type())));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();

  std::set<std::string> made{
      // What passes make of what front ends write.
      "smp.stage",          "smp.group", "smp.run",           "smp.transfer",
      "smp.prepared",       "smp.pack",  "smp.packed_matmul", "smp.packed_conv",
      "smp.depthwise_conv", "smp.tap",   "smp.statistics"};
  model->parts().module->walk([&](mlir::Operation *op) {
    made.insert(op->getName().getStringRef().str());
  });
  for (mlir::RegisteredOperationName op :
       model->parts().context->getRegisteredOperationsByDialect("smp"))
    EXPECT_TRUE(made.count(op.getStringRef().str()))
        << op.getStringRef().str() << " is made by no call of GraphBuilder";
}

TEST(GraphBuilder, BroadcastsAsNumpyDoes) {
  GraphBuilder g;
  Tensor x = g.input("x", {DType::F32, {2, 1}});
  g.output("y", g.input("row", {DType::F32, {3}}) - x);
  g.output("z", 10 - x);
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  Evaluation result =
      evaluateEntry(model->parts(), "predict",
                    {floats({2, 1}, {1, 2}), floats({3}, {5, 6, 7})});
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(result.results[0].bytes, floats({2, 3}, {4, 5, 6, 3, 4, 5}).bytes);
  EXPECT_EQ(result.results[1].bytes, floats({2, 1}, {9, 8}).bytes);
}

TEST(GraphBuilder, KeepsOpsOverConstants) {
  GraphBuilder g;
  g.output("y", g.constant(1) + g.constant(2));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(opNames(*model, "predict"),
            (std::vector<std::string>{"constant", "constant_1", "add"}));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST(GraphBuilder, NamesOpsByScopeAndKind) {
  GraphBuilder g;
  Tensor x = g.input("x", kVector);
  {
    NameScope outer = g.scope("encoder");
    {
      NameScope inner = g.scope("0");
      x = g.relu(g.relu(x));
    }
    x = g.named(g.exp(x), "total");
  }
  g.output("y", g.relu(x));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(opNames(*model, "predict"),
            (std::vector<std::string>{"encoder/0/relu", "encoder/0/relu_1",
                                      "encoder/total", "relu"}));
}

TEST(GraphBuilder, DropsWhatNoOutputNeeds) {
  GraphBuilder g;
  Tensor x = g.input("x", kVector);
  g.exp(x);
  g.output("y", g.relu(x));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(opNames(*model, "predict"), std::vector<std::string>{"relu"});
}

//===----------------------------------------------------------------------===//
// Variables and entries
//===----------------------------------------------------------------------===//

/// The first values of the variables of a model with a few layers.
Tensors layerValues(uint64_t seed, bool withMore) {
  GraphBuilder g("model", seed);
  Tensor x = g.input("x", {DType::F32, {2, 8}});
  if (withMore)
    x = layers::linear(g, x, 8, "before");
  x = layers::linear(g, x, 4, "fc", {.weightValue = InitialValue::kaiming()});
  g.output("y", layers::linear(g, x, 4, "out"));
  auto model = std::move(g).finish();
  EXPECT_TRUE(model.ok());
  return firstValues(model->parts());
}

TEST(GraphBuilder, SeedsVariablesByTheirNames) {
  Tensors one = layerValues(7, false), same = layerValues(7, true),
          other = layerValues(8, false);
  for (const char *name : {"fc/weight", "out/weight"}) {
    EXPECT_EQ(one[name].bytes, same[name].bytes) << name;
    EXPECT_NE(one[name].bytes, other[name].bytes) << name;
  }
  EXPECT_NE(layerValues(7, false)["out/weight"].bytes, one["fc/weight"].bytes);
}

TEST(GraphBuilder, GivesVariablesTheirFirstValues) {
  GraphBuilder g;
  TensorType matrix{DType::F32, {1000, 50}};
  g.parameter("kaiming", matrix, InitialValue::kaiming());
  g.parameter("xavier", matrix, InitialValue::xavier());
  g.parameter("normal", matrix, InitialValue::normal(3, 0.5));
  g.parameter("uniform", matrix, InitialValue::uniform(-1, 3));
  g.parameter("ones", kVector, InitialValue::ones());
  g.output("y", g.parameter("data", {DType::F32, {2}},
                            InitialValue::data(floats({2}, {4, 5}))));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  Tensors values = firstValues(model->parts());
  auto moments = [&](const char *name) {
    double sum = 0, squares = 0;
    auto elements = values[name].as<float>();
    for (float x : elements)
      sum += x, squares += double(x) * x;
    double mean = sum / double(elements.size());
    return std::pair(mean, squares / double(elements.size()) - mean * mean);
  };
  auto near = [&](const char *name, double mean, double variance) {
    EXPECT_NEAR(moments(name).first, mean, 0.02) << name;
    EXPECT_NEAR(moments(name).second, variance, 0.05 * variance) << name;
  };
  near("kaiming", 0, 2.0 / 50);
  near("xavier", 0, 6.0 / 1050 / 3);
  near("normal", 3, 0.25);
  near("uniform", 1, 16.0 / 12);
  EXPECT_EQ(values["ones"].bytes, floats({4}, {1, 1, 1, 1}).bytes);
  EXPECT_EQ(values["data"].bytes, floats({2}, {4, 5}).bytes);
}

TEST(GraphBuilder, KeepsLargeConstantsOutOfTheText) {
  GraphBuilder g;
  HostTensor large = randomFloats({64, 64}, 1);
  g.output("y", g.constant(large) + g.constant(floats({1}, {1})));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_LT(model->text().size(), 4000u) << model->text();
  Evaluation result = evaluateEntry(model->parts(), "predict", {});
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(result.results[0].as<float>()[5], large.as<float>()[5] + 1);
}

TEST(GraphBuilder, KeepsEqualElementsAsOne) {
  GraphBuilder g;
  const TensorType type{DType::F32, {64, 64}};
  HostTensor twos = HostTensor::zeros(type), zeros = twos;
  twos.fill(floats({}, {2}).bytes);
  zeros.as<float>()[7] = -0.0f;
  g.output("y", g.constant(twos) + g.constant(zeros));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->parts().weights.size(), 1u) << "one zero is the other one";
  Evaluation result = evaluateEntry(model->parts(), "predict", {});
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(result.results[0].bytes, twos.bytes);
}

TEST(GraphBuilder, EntriesShareVariables) {
  GraphBuilder g;
  for (bool trains : {false, true}) {
    g.beginEntry(trains ? "train" : "predict",
                 trains ? EntryMode::Train : EntryMode::Predict);
    Tensor x = g.input("x", {DType::F32, {1, 2}}, 0);
    VariableRef w = g.variable("w", {DType::F32, {2}}, InitialValue::ones());
    g.output("y", g.sum(x * g.read(w)));
    if (trains)
      g.assign(w, g.read(w) * 3);
  }
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(entryOf(model->parts(), "train").getMode(), ir::Mode::Train);
  Tensors variables = firstValues(model->parts());
  ASSERT_EQ(variables.size(), 1u);
  std::vector<HostTensor> inputs{floats({1, 2}, {1, 2})};
  Evaluation train = evaluateEntry(model->parts(), "train", inputs, variables);
  EXPECT_EQ(train.results[0].as<float>()[0], 3);
  variables["w"] = train.assigned["w"];
  EXPECT_EQ(evaluateEntry(model->parts(), "predict", inputs, variables)
                .results[0]
                .as<float>()[0],
            9);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

struct WrongCase {
  const char *name;
  void (*build)(GraphBuilder &g, Tensor x); // x is f32[2x4].
  const char *message;
};

const WrongCase kWrong[] = {
    {"Shapes",
     [](GraphBuilder &g, Tensor x) {
       NameScope scope = g.scope("mlp");
       g.add(x, g.splat({DType::F32, {3}}, 1));
     },
     "op 'mlp/add': has operands of shapes [2, 4] and [3], which do not "
     "broadcast"},
    {"ElementTypes",
     [](GraphBuilder &g, Tensor x) { g.mul(x, g.convert(x, DType::I32)); },
     "op 'mul': takes a f32[2x4] and a i32[2x4]; convert one to the other's "
     "type"},
    {"Axis", [](GraphBuilder &g, Tensor x) { g.softmax(x, 2); },
     "op 'softmax': has axis 2; it must be in -2..1"},
    {"Reshape", [](GraphBuilder &g, Tensor x) { g.reshape(x, {3, -1}); },
     "op 'reshape': cannot divide 8 elements into 3"},
    {"Numbers", [](GraphBuilder &g, Tensor) { g.add(1, 2); },
     "op 'add': takes two numbers; one operand must be a tensor"},
    {"Empty", [](GraphBuilder &g, Tensor) { g.relu(Tensor()); },
     "op 'relu': has an empty tensor as operand 0; nothing made it"},
    {"Conv",
     [](GraphBuilder &g, Tensor x) { layers::conv2d(g, x, 4, 3, "conv1"); },
     "op 'conv1/conv': slides a window over a f32[2x4]; it needs a batch, "
     "features and at least one more dimension"},
    {"Heads",
     [](GraphBuilder &g, Tensor x) {
       Tensor q = g.reshape(x, {1, 2, 4});
       layers::multiHeadAttention(g, q, q, q, "attention", {.heads = 3});
     },
     "attention: a query of type f32[1x2x4] cannot be cut into 3 heads; it is "
     "[batch, length, width] with a width that heads divide"},
    {"TwiceDeclared",
     [](GraphBuilder &g, Tensor x) {
       layers::linear(g, x, 4, "fc");
       layers::linear(g, x, 4, "fc");
     },
     "variable 'fc/weight': is declared twice; open another scope of names, or "
     "keep what the first declaration gave"},
    {"OtherType",
     [](GraphBuilder &g, Tensor x) {
       layers::linear(g, x, 4, "fc");
       g.output("y", x);
       g.beginEntry("other");
       layers::linear(g, g.input("x", {DType::F32, {1, 5}}), 4, "fc");
     },
     "variable 'fc/weight': is a f32[4x5] here and a f32[4x4] in another "
     "entry"},
    {"OtherEntry",
     [](GraphBuilder &g, Tensor x) {
       g.output("y", x);
       g.beginEntry("other");
       g.relu(x);
     },
     "op 'relu': has a tensor of entry 'predict' as operand 0; entries share "
     "variables only"},
    {"RandomIntegers",
     [](GraphBuilder &g, Tensor) {
       g.parameter("w", {DType::I32, {2, 2}}, InitialValue::normal(0, 1));
     },
     "variable 'w': has random first values, which need a float type, and is a "
     "i32[2x2]"},
    {"BatchAxis", [](GraphBuilder &g, Tensor) { g.input("z", kVector, 1); },
     "input 'z': has batch axis 1; it must be a dimension of the 1 that there "
     "are, or kNoBatchAxis"},
    {"SameOutput",
     [](GraphBuilder &g, Tensor x) {
       g.output("y", x);
       g.output("y", x);
     },
     "output 'y': has the name of another one"},
    {"NoOutput", [](GraphBuilder &, Tensor) {},
     "entry 'predict': has no output and assigns no variable"},
    {"TakenName",
     [](GraphBuilder &g, Tensor x) { g.named(g.exp(g.relu(x)), "relu"); },
     "name 'relu': is taken; names of ops differ in an entry"},
    {"NegativePartition",
     [](GraphBuilder &g, Tensor x) {
       auto scope = partition(-1);
       g.relu(x);
     },
     "op 'relu': GraphBuilderTest.cpp:LINE: smp::partition(-1): partition -1 "
     "cannot be; the first one is 0"},
};

/// `text` with the numbers of source lines replaced.
std::string withoutLines(std::string text) {
  size_t begin = text.find(".cpp:");
  if (begin == std::string::npos)
    return text;
  begin += 5;
  size_t end = text.find(':', begin);
  return text.replace(begin, end - begin, "LINE");
}

class GraphBuilderErrors : public testing::TestWithParam<WrongCase> {};

TEST_P(GraphBuilderErrors, NameTheOpAndWhatIsRight) {
  std::string message = errorOf([](GraphBuilder &g) {
    GetParam().build(g, g.input("x", {DType::F32, {2, 4}}));
  });
  EXPECT_EQ(withoutLines(message), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(All, GraphBuilderErrors, testing::ValuesIn(kWrong),
                         [](const auto &info) { return info.param.name; });

TEST(GraphBuilder, KeepsTheFirstErrorOnly) {
  GraphBuilder g;
  Tensor x = g.input("x", kVector);
  Tensor wrong = g.softmax(x, 9);
  EXPECT_FALSE(wrong);
  Tensor after = g.matmul(g.relu(wrong), wrong) + 1;
  EXPECT_FALSE(after);
  g.output("y", after);
  std::string first = g.status().message();
  EXPECT_EQ(first, "op 'softmax': has axis 9; it must be in -1..0");
  auto model = std::move(g).finish();
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().message(), first);
}

TEST(GraphBuilder, RefusesTensorsOfOtherBuilders) {
  GraphBuilder one, two;
  Tensor x = one.input("x", kVector);
  two.relu(x);
  EXPECT_EQ(two.status().message(),
            "op 'relu': has a tensor of another builder as operand 0");
}

} // namespace
