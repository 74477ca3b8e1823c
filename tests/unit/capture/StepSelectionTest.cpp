// SPDX-License-Identifier: Apache-2.0
// The steps that a configuration selects are those that smdebug selects.
#include "smp/capture/HookConfig.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// splitmix64, as in make-step-selections.
struct Random {
  uint64_t state;

  uint64_t below(uint64_t bound) {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % bound;
  }
};

std::string makeParameters(Random &random) {
  std::string members;
  auto member = [&](const std::string &key, const std::string &value) {
    members += (members.empty() ? "\"" : ", \"") + key + "\": " + value;
  };
  auto number = [&](const std::string &key, int64_t value) {
    const std::string quote = random.below(2) ? "\"" : "";
    member(key, quote + std::to_string(value) + quote);
  };
  for (const std::string prefix :
       {"", "train.", "eval.", "predict.", "global."}) {
    if (random.below(3) == 0)
      number(prefix + "save_interval", int64_t(1 + random.below(12)));
    if (random.below(3) == 0)
      number(prefix + "start_step", int64_t(random.below(50)) - 10);
    if (random.below(3) == 0) {
      const uint64_t end = random.below(70);
      if (random.below(8) == 0)
        member(prefix + "end_step", "null");
      else
        number(prefix + "end_step", int64_t(end));
    }
    if (random.below(3) == 0) {
      std::string steps;
      for (uint64_t left = 1 + random.below(3); left > 0; --left)
        steps += std::to_string(random.below(90)) + (left > 1 ? ", " : "");
      member(prefix + "save_steps", "\"" + steps + "\"");
    }
  }
  return "{" + members + "}";
}

std::string makeConfiguration(uint64_t number) {
  Random random{number};
  const std::string hook = makeParameters(random);
  return "{\"HookParameters\": " + hook +
         ", \"CollectionConfigurations\": [{\"CollectionName\": \"weights\", "
         "\"CollectionParameters\": " +
         makeParameters(random) + "}]}";
}

/// FNV-1a of which steps are selected, folded to 16 bits.
uint32_t digestOf(const HookConfig &config) {
  uint32_t value = 0x811c9dc5;
  for (const SaveConfig &inner :
       {config.collections.at(0).saveConfig, SaveConfig()})
    for (const Mode mode :
         {Mode::Train, Mode::Eval, Mode::Predict, Mode::Global}) {
      const StepSelection steps = selectSteps(mode, config.saveConfig, inner);
      for (int64_t step = 0; step < 80; ++step)
        value = (value ^ uint32_t(steps.has(step))) * 0x01000193;
    }
  return (value >> 16) ^ (value & 0xffff);
}

TEST(StepSelection, IsThatOfSmdebugForManyConfigurations) {
  std::ifstream file(SMP_TEST_SOURCE_DIR "/unit/capture/step-selections.txt");
  std::string expected;
  uint64_t number = 0;
  for (; file >> expected; ++number) {
    const std::string text = makeConfiguration(number);
    const StatusOr<HookConfig> config = parseHookConfig(text);
    ASSERT_TRUE(config.ok()) << text << "\n" << config.status().message();
    ASSERT_EQ(digestOf(*config), std::stoul(expected, nullptr, 16))
        << "configuration " << number << ": " << text;
  }
  EXPECT_EQ(number, 10000u);
}

/// The first steps that are selected.
std::vector<int64_t> firstSteps(const SaveConfigMode &said, size_t count) {
  const StepSelection steps = selectSteps(Mode::Train, {said}, {});
  std::vector<int64_t> first;
  for (int64_t step = 0; step < 2000 && first.size() < count; ++step)
    if (steps.has(step))
      first.push_back(step);
  return first;
}

TEST(StepSelection, IsThatOfTheDocumentation) {
  using Steps = std::vector<int64_t>;
  EXPECT_EQ(firstSteps({}, 3), (Steps{0, 500, 1000}));
  EXPECT_EQ(firstSteps({.saveInterval = 1}, 3), (Steps{0, 1, 2}));
  EXPECT_EQ(firstSteps({.saveInterval = 100, .endStep = 200}, 9),
            (Steps{0, 100}));
  EXPECT_EQ(firstSteps({.saveInterval = 100, .endStep = 201}, 9),
            (Steps{0, 100, 200}));
  EXPECT_EQ(firstSteps({.saveInterval = 100, .startStep = 150}, 2),
            (Steps{200, 300}));
  EXPECT_EQ(firstSteps({.saveSteps = Steps{3, 7}}, 4), (Steps{0, 3, 7, 500}));
  EXPECT_EQ(firstSteps({.endStep = 0, .saveSteps = Steps{3, 7}}, 9),
            (Steps{3, 7}));
  EXPECT_TRUE(firstSteps({.endStep = 0}, 9).empty());
}

TEST(StepSelection, WhatIsSaidNearestCounts) {
  SaveConfig hook{{.saveInterval = 10, .endStep = 50}};
  hook.of(Mode::Train).saveInterval = 20;
  SaveConfig collection{{.endStep = kNoEndStep}};
  EXPECT_EQ(selectSteps(Mode::Eval, hook, collection).saveInterval, 10);
  EXPECT_EQ(selectSteps(Mode::Train, hook, collection).saveInterval, 20);
  EXPECT_EQ(selectSteps(Mode::Train, hook, collection).endStep, kNoEndStep);
  collection.saveInterval = 30;
  EXPECT_EQ(selectSteps(Mode::Train, hook, collection).saveInterval, 30);
  collection.of(Mode::Train).saveInterval = 40;
  EXPECT_EQ(selectSteps(Mode::Train, hook, collection).saveInterval, 40);
  EXPECT_EQ(selectSteps(Mode::Eval, hook, collection).saveInterval, 30);
}

} // namespace
