// SPDX-License-Identifier: Apache-2.0
#include "RankTraining.h"
#include <mutex>

namespace smp::test {

static std::unique_ptr<ProgramMaker> makeTraining() {
  auto maker = std::make_unique<ProgramMaker>(kPartitions);
  Program &program = maker->program;
  program.entries[0].name = "train";
  program.entries[0].mode = Mode::Train;
  std::vector<uint32_t> changed, fixed;
  for (uint32_t i = 0; i < kPartitions; ++i) {
    const std::string w = "w" + std::to_string(i);
    changed.push_back(maker->splat(w, 1 + i));
    changed.push_back(maker->splat(w + ".m", 10 + i));
    program.variables.back().kind = VariableKind::Optimizer;
    fixed.push_back(maker->splat("fixed" + std::to_string(i), 0.5 * i));
  }
  maker->splat("unused", 77);
  maker->input("x");
  maker->output("y");
  Edge::End from{kCaller, 0};
  for (uint32_t i = 0; i < kPartitions; ++i) {
    const auto position = int32_t(maker->stage(
        i, 1, 1,
        {maker->launch("add16",
                       {test::input(0), variable(fixed[i]), output(0)})}));
    maker->edge(from, {{position, 0}});
    from = {position, 0};
  }
  maker->edge(from, {{kCaller, 0}});
  for (uint32_t i = 0; i < kPartitions; ++i) {
    std::vector<Launch> launches;
    for (uint32_t v : {changed[2 * i], changed[2 * i + 1]})
      launches.push_back(
          maker->launch("twice_plus_one16", {variable(v), variable(v)}));
    maker->stage(i, 0, 0, std::move(launches));
    program.stages.back().unit = Unit::Update;
  }
  for (Kernel &kernel : program.kernels)
    kernel.numOutputs = 1;
  maker->interleave(1);
  return maker;
}

static SessionOptions optionsOf(Communicator *communicator,
                                const std::string &driver) {
  SessionOptions options;
  options.communicator = communicator;
  options.devices =
      communicator ? "0/" + driver + ":0,1/" + driver + ":0,0/" + driver + ":1"
                   : deviceList(driver, kPartitions);
  options.deadlineSeconds = 30;
  return options;
}

RankTraining::RankTraining(Communicator *communicator,
                           const std::string &driver)
    : Trained(makeTraining(), optionsOf(communicator, driver)) {
  warnings.clear(); // About cores that devices share.
}

void RankTraining::train() {
  const TestTensor x({2, 8});
  auto result = (*this)->step("train", std::vector{x.as("x")}, {});
  EXPECT_TRUE(result.ok()) << result.status().message();
}

const Values &valuesAfter(int steps) {
  static std::mutex lock;
  static std::map<int, Values> known;
  std::lock_guard<std::mutex> hold(lock);
  Values &values = known[steps];
  if (values.empty()) {
    RankTraining alone(nullptr);
    for (int i = 0; i < steps; ++i)
      alone.train();
    values = alone.valuesHere();
  }
  return values;
}

void expectAfter(RankTraining &training, int steps) {
  const Values &expected = valuesAfter(steps);
  const Values values = training.valuesHere();
  EXPECT_FALSE(values.empty());
  for (const auto &[name, bytes] : values)
    EXPECT_EQ(bytes, expected.at(name)) << name << " after " << steps;
}

} // namespace smp::test
