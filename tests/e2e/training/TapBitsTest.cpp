// SPDX-License-Identifier: Apache-2.0
// Whoever watches changes no bit of a training, and sees the same bits however
// it is divided.
#include "ShownStatistics.h"
#include "TrainedBits.h"
#include "smp/serialization/ProgramFile.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace smp;
using namespace smp::test;

namespace {

const Bits &plain() {
  static const Bits bits = trained({});
  return bits;
}
const Bits &all() {
  static const Bits bits = trained(watched(StepView::Values));
  return bits;
}

TEST(TapBits, NobodyLooks) {
  expectEqual(trained(watched(StepView::Outputs)), plain());
}

TEST(TapBits, StatisticsChangeNothing) {
  const Bits bits = trained(watched(StepView::Statistics));
  expectEqual(unshown(bits), plain());
  // They are those that are taken beside values.
  Bits statistics = all();
  std::erase_if(statistics, [](const auto &each) {
    return each.first.find(" value/") != each.first.npos;
  });
  expectEqual(bits, statistics);
}

TEST(TapBits, ValuesChangeNothing) { expectEqual(unshown(all()), plain()); }

TEST(TapBits, EveryRoleIsShown) {
  const auto compiled = compileFor(watched(StepView::Values));
  const auto program = readProgram(compiled.bytes());
  ASSERT_TRUE(program.ok()) << program.status().message();
  std::vector<size_t> roles(6);
  for (const Tap &tap : tapsOfTraining(program->program()))
    ++roles[size_t(tap.role)];
  size_t parameters = 0;
  for (const Variable &variable : program->program().variables)
    parameters += variable.kind == VariableKind::Parameter;
  EXPECT_EQ(roles[size_t(TapRole::Input)], 2u);
  EXPECT_EQ(roles[size_t(TapRole::Parameter)], parameters);
  EXPECT_EQ(roles[size_t(TapRole::Gradient)], parameters);
  EXPECT_GE(roles[size_t(TapRole::Slot)], 2 * parameters);
  EXPECT_GE(roles[size_t(TapRole::Value)], 10u);
  EXPECT_GE(roles[size_t(TapRole::OutputGradient)], 10u);
}

/// The ops of each kernel of an entry, of those that have names.
std::multiset<std::vector<std::string>> opsIn(const Program &program,
                                              const Entry &entry) {
  std::multiset<std::vector<std::string>> kernels;
  for (const uint32_t stage : entry.stages)
    for (const Launch &launch : program.stages[stage].launches)
      if (!launch.opNames.empty())
        kernels.insert(launch.opNames);
  return kernels;
}

/// What each launch runs, by name.
std::vector<std::string> kernelsOf(const Program &program, uint32_t stage) {
  std::vector<std::string> names;
  for (const Launch &launch : program.stages[stage].launches)
    names.push_back(program.kernels[launch.kernel].name);
  return names;
}

/// The kernels are formed as if nobody watched, and twins have the same
/// variables and prepared values.
TEST(TapBits, KernelsAreThoseOfThePlainEntry) {
  const auto compiled = compileFor(watched(StepView::Values)),
             without = compileFor({});
  const auto loaded = readProgram(compiled.bytes()),
             other = readProgram(without.bytes());
  ASSERT_TRUE(loaded.ok() && other.ok());
  const Program &program = loaded->program(), &before = other->program();
  EXPECT_EQ(program.variables.size(), before.variables.size());
  EXPECT_EQ(program.prepared.size(), before.prepared.size());
  ASSERT_EQ(program.entries.size(), 3 * before.entries.size());
  for (const Entry &entry : program.entries)
    if (entry.twin) {
      // Besides, there are views that nobody else needs in memory.
      const auto ops = opsIn(program, entry),
                 were = opsIn(before, before.entries[entry.twin->of]);
      std::vector<std::vector<std::string>> missing;
      std::ranges::set_difference(were, ops, std::back_inserter(missing));
      EXPECT_TRUE(missing.empty()) << entry.name << " has no kernel of "
                                   << testing::PrintToString(missing);
    }
  for (size_t e = 0; e < before.entries.size(); ++e) {
    const auto &stages = program.entries[e].stages,
               &were = before.entries[e].stages;
    ASSERT_EQ(stages.size(), were.size());
    for (size_t s = 0; s < stages.size(); ++s)
      EXPECT_EQ(kernelsOf(program, stages[s]), kernelsOf(before, were[s]));
  }
}

TEST(TapBits, StatisticsAreThoseOfTheValues) {
  const auto compiled = compileFor(watched(StepView::Values));
  const auto program = readProgram(compiled.bytes());
  ASSERT_TRUE(program.ok());
  EXPECT_GE(compareWithValues(program->program(), all()), 500u);
}

/// Updates take those of large variables by the way: of what a step reads
/// before it is written in place.
TEST(TapBits, StatisticsOfLargeVariablesAreThoseOfTheValues) {
  Division division = watched(StepView::Values);
  division.shape.layers = 1;
  division.shape.width = 128;
  const auto compiled = compileFor(division);
  const auto program = readProgram(compiled.bytes());
  ASSERT_TRUE(program.ok());
  EXPECT_GE(std::ranges::count_if(program->program().kernels,
                                  [](const Kernel &kernel) {
                                    return kernel.name.starts_with(
                                        "loop.statistics");
                                  }),
            3);
  EXPECT_GE(compareWithValues(program->program(), trained(division)), 200u);
}

/// Where the mean of a block hides the differences from it, elements are walked
/// again: those that the step read, too, which the update has overwritten.
TEST(TapBits, StatisticsOfVariablesFarFromZeroAreThoseOfTheValues) {
  Division division = watched(StepView::Values);
  division.shape.layers = 1;
  division.shape.width = 128;
  division.shape.characters = 131;
  division.prepare = [](Session &session) {
    std::vector<float> embedding(131 * 128);
    ASSERT_TRUE(session
                    .getVariable("embedding",
                                 std::as_writable_bytes(std::span(embedding)))
                    .ok());
    for (float &each : embedding)
      each += 100;
    ASSERT_TRUE(session
                    .setVariable("embedding",
                                 {DType::F32, {{131, 128}}, embedding.data()})
                    .ok());
  };
  const auto compiled = compileFor(division);
  const auto program = readProgram(compiled.bytes());
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(std::ranges::count_if(program->program().kernels,
                                  [](const Kernel &kernel) {
                                    return kernel.name ==
                                           "loop.statistics f32[16768]";
                                  }),
            1);
  EXPECT_GE(compareWithValues(program->program(), trained(division)), 200u);
}

void expectSameDivided(const Division &division) {
  expectEqual(trained(watched(StepView::Values, division)), all());
}

TEST(TapBits, TwoPartitionsOfTwoThreads) {
  expectSameDivided({2, PipelineKind::Simple, "cpu:0=0-1,cpu:1=0-1"});
}
TEST(TapBits, Recomputation) {
  Division division{2, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1"};
  division.recompute = true;
  expectSameDivided(division);
}

//===----------------------------------------------------------------------===//
// However it is divided
//===----------------------------------------------------------------------===//

class DividedTaps
    : public testing::TestWithParam<std::tuple<int64_t, PipelineKind>> {
protected:
  /// On that many devices of the list.
  static Division on(std::vector<std::string> devices) {
    const auto [partitions, pipeline] = GetParam();
    Division division{partitions, pipeline, ""};
    for (int64_t p = 0; p < partitions; ++p)
      division.devices += (p ? "," : "") + devices[size_t(p)];
    return watched(StepView::Values, division);
  }
};

TEST_P(DividedTaps, OneProcess) {
  expectEqual(trained(on({"cpu:0=0", "cpu:1=1", "cpu:2=0", "cpu:3=1"})), all());
}

/// Each process is shown all, and has the variables of its own partitions.
TEST_P(DividedTaps, TwoProcesses) {
  const Division division =
      on({"0/cpu:0=0", "1/cpu:0=1", "0/cpu:1=0", "1/cpu:1=1"});
  const Bits &whole = all();
  onTwoProcesses(division, [&](Session &session, uint32_t) {
    Bits bits;
    train(session, bits, division);
    EXPECT_LT(bits.size(), whole.size());
    for (const auto &[name, value] : whole)
      if (isShown(name))
        EXPECT_EQ(value, bits[name]) << name;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Partitions, DividedTaps,
    testing::Combine(testing::Values(2, 3, 4),
                     testing::Values(PipelineKind::Interleaved,
                                     PipelineKind::Simple)),
    [](const auto &info) {
      return std::to_string(std::get<int64_t>(info.param)) +
             toString(std::get<PipelineKind>(info.param));
    });

} // namespace
