// SPDX-License-Identifier: Apache-2.0
// Networks show the same bits however they are divided, and what the reference
// evaluator finds.
#include "CharModel.h"
#include "ConvModel.h"
#include "Networks.h"
#include "SeededValues.h"
#include "Shapes.h"
#include "TemporaryFolder.h"
#include "TrainedBits.h"
#include "smp/compile/Compile.h"
#include "smp/compile/CompileModel.h"
#include "smp/import/ModelParts.h"
#include "smp/model/Reference.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace smp;
using namespace smp::test;

namespace {

/// A network that is trained, with an entry that has no update.
struct Watchable {
  const char *name;
  StatusOr<Model> (*train)();
  const char *entry; ///< Of what `infer` builds.
  StatusOr<Model> (*infer)();
  std::vector<InputTensor> (*inputs)(std::string_view entry);
};

TensorView viewOf(const HostTensor &tensor) {
  return {tensor.type.dtype, tensor.type.shape, tensor.bytes.data()};
}

StatusOr<Model> trainedResidual() {
  auto model = residualNetwork().build();
  if (model.ok())
    SMP_RETURN_IF_ERROR(compile::trainModule(*model->parts().module, "loss",
                                             R"({"kind": "adamw"})"));
  return model;
}

std::vector<InputTensor> residualInputs(std::string_view entry) {
  static const Network network = residualNetwork();
  std::vector<InputTensor> inputs{{"x", viewOf(network.x)}};
  if (entry == "train")
    inputs.push_back({"target", viewOf(network.target)});
  return inputs;
}

StatusOr<Model> shapes() { return conv_net::buildModel(100); }

std::vector<InputTensor> shapeInputs(std::string_view entry) {
  using namespace conv_net;
  static const Pictures few(1, 0, kBatch), many(1, 0, kBatch * kMicrobatches);
  return (entry == "train" ? many : few).inputs();
}

StatusOr<Model> characters() {
  char_lm::Shape shape;
  shape.characters = 65;
  return char_lm::buildModel(shape);
}

std::vector<InputTensor> characterInputs(std::string_view entry) {
  static const HostTensor tokens = seededClasses("tokens", {1, 64}, 65);
  return {{"tokens", viewOf(tokens)}};
}

constexpr Watchable kResidual{"residual", trainedResidual, "predict",
                              buildResidualPredictor, residualInputs},
    kShapes{"shapes", shapes, "eval", shapes, shapeInputs},
    kCharacters{"characters", characters, "predict", characters,
                characterInputs};

compile::CompiledModel compileWatched(StatusOr<Model> model, int64_t partitions,
                                      PipelineKind pipeline) {
  compile::ModelOptions options;
  options.levels = {"v3"};
  options.placement.emplace().partitions = partitions;
  options.pipeline = pipeline;
  options.capture = [](std::string_view, TapRole) { return true; };
  auto compiled = compile::compileModel(model.take(), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  return compiled.take();
}

/// What is trained, divided so; compiled once.
const compile::CompiledModel &
trainedBy(const Watchable &network, int64_t partitions, PipelineKind pipeline) {
  static std::map<std::tuple<std::string, int64_t, PipelineKind>,
                  compile::CompiledModel>
      all;
  const std::tuple key(network.name, partitions, pipeline);
  auto found = all.find(key);
  if (found == all.end())
    found =
        all.emplace(key, compileWatched(network.train(), partitions, pipeline))
            .first;
  return found->second;
}

using Bytes = std::map<std::string, std::vector<std::byte>>;

/// Of the variables that are on this rank.
Bytes variablesOf(Session &session) {
  Bytes values;
  for (const VariableSignature &one : session.variables()) {
    std::vector<std::byte> value(
        size_t(TensorType{one.dtype, one.shape}.bytes()));
    if (session.getVariable(one.name, value).ok())
      values[one.name] = std::move(value);
  }
  return values;
}

/// Gives the variables that are on this rank what follows from their names.
void setVariables(Session &session) {
  const Bytes here = variablesOf(session);
  for (const VariableSignature &one : session.variables())
    if ((one.kind == "parameter" || one.kind == "state") &&
        one.dtype == DType::F32 && here.contains(one.name)) {
      const HostTensor value = seededVariable(one.name, one.shape);
      const Status set = session.setVariable(one.name, viewOf(value));
      EXPECT_TRUE(set.ok()) << set.message();
    }
}

Session open(const compile::CompiledModel &compiled) {
  auto session =
      Session::open(SharedProgram::read(compiled.bytes()).take(), {}).take();
  setVariables(session);
  return session;
}

/// Keeps what each step shows.
struct Watcher : StepObserver {
  explicit Watcher(StepView view) : view(view) {}
  StepView wants(const UpcomingStep &) override { return view; }
  bool gathers() const override { return true; }
  Status onStep(const CompletedStep &step) override {
    for (const ShownValue &value : step.shown) {
      const auto *data = static_cast<const std::byte *>(value.tensor.data);
      shown[std::to_string(step.modeStep) + " " +
            std::string(value.tensor.name)]
          .assign(data, data + value.tensor.bytes);
    }
    return Status();
  }
  const StepView view;
  Bytes shown;
};

/// What two steps show, and the variables after them.
struct Outcome {
  Bytes shown, variables;
};

Outcome trainTwice(const Watchable &network, Session &session, StepView view) {
  const auto watcher = std::make_shared<Watcher>(view);
  EXPECT_TRUE(session.addObserver(watcher, OnObserverError::Stop).ok());
  for (int i = 0; i < 2; ++i) {
    const auto output = session.step("train", network.inputs("train"));
    EXPECT_TRUE(output.ok()) << output.status().message();
  }
  return {std::move(watcher->shown), variablesOf(session)};
}

Outcome trainTwice(const Watchable &network, const compile::CompiledModel &of,
                   StepView view) {
  Session session = open(of);
  return trainTwice(network, session, view);
}

void expectEqual(const Bytes &bytes, const Bytes &others) {
  ASSERT_EQ(bytes.size(), others.size());
  for (const auto &[name, value] : bytes) {
    ASSERT_TRUE(others.contains(name)) << name;
    EXPECT_TRUE(value == others.at(name)) << name;
  }
}

class WatchedNetworks : public testing::TestWithParam<Watchable> {};

TEST_P(WatchedNetworks, ShowTheSameBitsDivided) {
  const Watchable &network = GetParam();
  const auto &whole = trainedBy(network, 1, PipelineKind::Interleaved);
  const Outcome all = trainTwice(network, whole, StepView::Values);
  EXPECT_GE(all.shown.size(), 200u);
  EXPECT_GE(all.variables.size(), 20u);
  expectEqual(trainTwice(network, whole, StepView::Outputs).variables,
              all.variables);
  for (int64_t partitions : {2, 3, 4})
    for (PipelineKind pipeline :
         {PipelineKind::Interleaved, PipelineKind::Simple}) {
      SCOPED_TRACE(std::to_string(partitions) + " partitions, " +
                   toString(pipeline));
      const Outcome divided = trainTwice(
          network, trainedBy(network, partitions, pipeline), StepView::Values);
      expectEqual(divided.shown, all.shown);
      expectEqual(divided.variables, all.variables);
    }
}

/// Each process is shown all, and has the variables of its own partitions.
void expectPart(const Outcome &mine, const Outcome &all) {
  expectEqual(mine.shown, all.shown);
  EXPECT_LT(mine.variables.size(), all.variables.size());
  for (const auto &[name, value] : mine.variables)
    EXPECT_TRUE(value == all.variables.at(name)) << name;
}

/// The names of both are those of all; each process has written its own.
void expectTogetherAll(const TemporaryFolder &names, const Bytes &all) {
  std::set<std::string> found;
  for (const std::string &file : names.names()) {
    std::istringstream lines(names.read(file));
    for (std::string name; std::getline(lines, name);)
      found.insert(name);
  }
  EXPECT_EQ(names.names().size(), 2u);
  EXPECT_EQ(found.size(), all.size());
  for (const auto &[name, value] : all)
    EXPECT_TRUE(found.contains(name)) << name;
}

TEST_P(WatchedNetworks, ShowTheSameBitsOnTwoProcesses) {
  const Watchable &network = GetParam();
  const Outcome all =
      trainTwice(network, trainedBy(network, 1, PipelineKind::Interleaved),
                 StepView::Values);
  const std::string devices[] = {"0/cpu:0=0", "1/cpu:0=1", "0/cpu:1=0",
                                 "1/cpu:1=1"};
  std::string list = devices[0];
  for (int64_t partitions : {2, 3, 4}) {
    list += "," + devices[partitions - 1];
    for (PipelineKind pipeline :
         {PipelineKind::Interleaved, PipelineKind::Simple}) {
      SCOPED_TRACE(list + ", " + toString(pipeline));
      const TemporaryFolder names;
      onTwoProcesses(trainedBy(network, partitions, pipeline), list,
                     [&](Session &session, uint32_t rank) {
                       setVariables(session);
                       const Outcome mine =
                           trainTwice(network, session, StepView::Values);
                       expectPart(mine, all);
                       std::string text;
                       for (const auto &[name, value] : mine.variables)
                         text += name + "\n";
                       names.write(std::to_string(rank), text);
                     });
      expectTogetherAll(names, all.variables);
    }
  }
}

/// The values of the names, by the reference evaluator.
std::map<std::string, HostTensor> evaluated(const Graph &graph,
                                            std::span<const InputTensor> inputs,
                                            Session &session,
                                            std::set<std::string> names) {
  Graph wanted = graph;
  wanted.outputs.clear();
  std::vector<std::string> order;
  for (uint32_t i = 0; i < graph.values.size(); ++i)
    if (names.erase(graph.values[i].name)) {
      wanted.outputs.push_back(i);
      order.push_back(graph.values[i].name);
    }
  std::vector<HostTensor> given;
  for (const InputTensor &input : inputs) {
    given.push_back(HostTensor::zeros(
        {input.tensor.dtype,
         {input.tensor.shape.begin(), input.tensor.shape.end()}}));
    std::memcpy(given.back().bytes.data(), input.tensor.data,
                given.back().bytes.size());
  }
  std::map<std::string, HostTensor> variables;
  for (const VariableSignature &one : session.variables()) {
    HostTensor &value = variables[one.name];
    value = HostTensor::zeros({one.dtype, one.shape});
    EXPECT_TRUE(session.getVariable(one.name, value.bytes).ok());
  }
  Evaluation evaluation = evaluate(wanted, given, [&](std::string_view name) {
    return &variables.at(std::string(name));
  });
  EXPECT_TRUE(evaluation.ok()) << evaluation.error;
  std::map<std::string, HostTensor> values;
  for (size_t i = 0; i < evaluation.results.size(); ++i)
    values[order[i]] = std::move(evaluation.results[i]);
  return values;
}

/// Ten of what the entry shows in f32, from the first to the last.
std::set<std::string> someTaps(const Entry &entry) {
  std::vector<std::string> names;
  for (const Tap &tap : entry.twin->taps)
    if (tap.kind == TapKind::Whole && tap.role == TapRole::Value &&
        tap.type.dtype == DType::F32)
      names.push_back(tap.name);
  std::set<std::string> chosen;
  for (size_t i = 0; i < 10; ++i)
    chosen.insert(names[i * (names.size() - 1) / 9]);
  return chosen;
}

class WatchedValues : public WatchedNetworks {};

TEST_P(WatchedValues, AreWhatTheReferenceEvaluatorFinds) {
  const Watchable &network = GetParam();
  const auto compiled =
      compileWatched(network.infer(), 1, PipelineKind::Interleaved);
  const auto file = readProgram(compiled.bytes());
  ASSERT_TRUE(file.ok());
  const Program &program = file->program();
  const Entry *values = nullptr;
  for (const Entry &entry : program.entries)
    if (entry.twin && program.entries[entry.twin->of].name == network.entry &&
        entry.twin->shows(TapKind::Whole))
      values = &entry;
  ASSERT_NE(values, nullptr);
  Session session = open(compiled);
  const auto watcher = std::make_shared<Watcher>(StepView::Values);
  ASSERT_TRUE(session.addObserver(watcher, OnObserverError::Stop).ok());
  const auto inputs = network.inputs(network.entry);
  const auto expected = evaluated(program.entries[values->twin->of].graph,
                                  inputs, session, someTaps(*values));
  ASSERT_EQ(expected.size(), 10u);
  ASSERT_TRUE(session.step(network.entry, inputs).ok());
  for (const auto &[name, tensor] : expected) {
    const std::vector<std::byte> &bytes = watcher->shown.at("0 value/" + name);
    const auto wanted = tensor.as<float>();
    ASSERT_EQ(bytes.size(), wanted.size_bytes()) << name;
    std::vector<float> found(wanted.size());
    std::memcpy(found.data(), bytes.data(), bytes.size());
    float greatest = 0, error = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      greatest = std::max(greatest, std::abs(wanted[i]));
      error = std::max(error, std::abs(found[i] - wanted[i]));
    }
    EXPECT_GT(greatest, 0) << name;
    EXPECT_LE(error, 1e-5f * greatest) << name;
  }
}

constexpr auto nameOf = [](const auto &info) {
  return std::string(info.param.name);
};
// That of characters has a test of its own.
INSTANTIATE_TEST_SUITE_P(All, WatchedNetworks,
                         testing::Values(kResidual, kShapes), nameOf);
INSTANTIATE_TEST_SUITE_P(All, WatchedValues,
                         testing::Values(kResidual, kShapes, kCharacters),
                         nameOf);

} // namespace
