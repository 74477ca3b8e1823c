// SPDX-License-Identifier: Apache-2.0
#include "WatchedRun.h"
#include <gtest/gtest.h>

namespace smp::test {

std::vector<RuleChoice> everyRule() {
  std::vector<RuleChoice> rules = defaultRules();
  rules.push_back({"TensorVariance",
                   {{"max_threshold", "1e6"},
                    {"collection_names", "weights,biases,gradients"}}});
  for (RuleChoice &rule : rules)
    if (rule.name == "LossNotDecreasing")
      rule.parameters = {{"num_steps", "100"}};
  return rules;
}

static compile::CompiledModel compile(StatusOr<Model> model,
                                      int64_t partitions) {
  EXPECT_TRUE(model.ok()) << model.status().message();
  compile::ModelOptions options;
  options.levels = {"v3"};
  options.allowUnused = true;
  options.placement.emplace().partitions = partitions;
  options.capture = [](std::string_view, TapRole) { return true; };
  auto compiled = compile::compileModel(model.take(), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  return compiled.take();
}

WatchedRun::WatchedRun(StatusOr<Model> model, int64_t partitions)
    : compiled(compile(std::move(model), partitions)),
      found(std::make_unique<std::vector<Finding>>()) {
  auto opened = Session::open(
      *SharedProgram::read(compiled.bytes()),
      {.devices = partitions == 1 ? "cpu:0=0" : "cpu:0=0,cpu:1=1"});
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  session.emplace(opened.take());
  const EntrySignature entry = session->entries().front();
  const auto add = [&](const char *collection, const char *tensor) {
    const auto hasName = [&](const auto &each) { return each.name == tensor; };
    if (std::ranges::any_of(entry.inputs, hasName) ||
        std::ranges::any_of(entry.outputs, hasName))
      EXPECT_TRUE(watch.addToCollection(collection, tensor).ok());
  };
  add("losses", "loss");
  add("labels", "classes");
  add("predictions", "scores");
  for (const RuleChoice &choice : everyRule())
    EXPECT_TRUE(watch
                    .add(makeRule(choice).take(),
                         {.action =
                              [all = found.get()](const Finding &finding) {
                                all->push_back(finding);
                                return Status();
                              }})
                    .ok());
  const Status attached = watch.attach(*session);
  EXPECT_TRUE(attached.ok()) << attached.message();
}

bool WatchedRun::step(std::string_view entry,
                      std::span<const InputTensor> inputs) {
  const auto output = session->step(entry, inputs);
  EXPECT_TRUE(output.ok()) << output.status().message();
  if (!output.ok())
    return false;
  const auto mean = output->find("loss")->reduceMean();
  lastLoss = mean.ok() ? double(mean->as<float>()[0]) : 0;
  return true;
}

} // namespace smp::test
