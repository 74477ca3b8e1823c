// SPDX-License-Identifier: Apache-2.0
// Whoever watches changes no bit of a training, and sees the same bits however
// it is divided.
#include "TrainedBits.h"
#include "smp/model/TensorStatistics.h"
#include "smp/serialization/ProgramFile.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace smp;
using namespace smp::test;

namespace {

Division watched(StepView view, Division division = {}) {
  division.canBeWatched = true;
  division.view = view;
  return division;
}

bool isShown(const std::string &name) {
  return name.find(" statistics/") != name.npos ||
         name.find(" value/") != name.npos;
}

/// Without what is shown.
Bits unshown(Bits bits) {
  std::erase_if(bits, [](const auto &each) { return isShown(each.first); });
  return bits;
}

void expectEqual(const Bits &bits, const Bits &others) {
  EXPECT_EQ(bits.size(), others.size());
  for (const auto &[name, value] : bits) {
    const auto found = others.find(name);
    ASSERT_NE(found, others.end()) << name;
    EXPECT_EQ(value, found->second) << name;
  }
}

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

/// The whole values that the twin of "train" shows.
std::vector<Tap> tapsOfTraining(const Program &program) {
  std::vector<Tap> taps;
  for (const Entry &entry : program.entries)
    if (entry.twin && program.entries[entry.twin->of].name == "train")
      for (const Tap &tap : entry.twin->taps)
        if (tap.kind == TapKind::Whole)
          taps.push_back(tap);
  return taps;
}

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

/// As doubles.
std::vector<double> elementsOf(const Tap &tap,
                               const std::vector<std::byte> &bytes) {
  std::vector<double> elements;
  const auto read = [&](auto type) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(type)) {
      std::memcpy(&type, bytes.data() + at, sizeof(type));
      elements.push_back(double(type));
    }
  };
  if (tap.type.dtype == DType::F32)
    read(float());
  else if (tap.type.dtype == DType::F64)
    read(double());
  else if (tap.type.dtype == DType::I64)
    read(int64_t());
  else if (tap.type.dtype == DType::I32)
    read(int32_t());
  else if (tap.type.dtype == DType::Bool)
    read(bool());
  else
    ADD_FAILURE() << tap.name << " is of type " << toString(tap.type);
  return elements;
}

void expectStatistics(std::span<const double> elements,
                      const TensorStatistics &found, const std::string &name) {
  long double sum = 0, absolute = 0, squares = 0;
  for (const double x : elements) {
    sum += x;
    absolute += std::abs(x);
    squares += (long double)(x)*x;
  }
  const auto count = (long double)(elements.size());
  long double centred = 0, absCentred = 0;
  for (const double x : elements) {
    centred += (x - sum / count) * (x - sum / count);
    absCentred +=
        (std::abs(x) - absolute / count) * (std::abs(x) - absolute / count);
  }
  const auto [low, high] =
      std::minmax_element(elements.begin(), elements.end());
  EXPECT_EQ(found.min, *low) << name;
  EXPECT_EQ(found.max, *high) << name;
  const auto infs = std::count_if(elements.begin(), elements.end(),
                                  [](double x) { return std::isinf(x); });
  EXPECT_EQ(found.infs, uint64_t(infs)) << name;
  EXPECT_EQ(found.nans, 0u) << name;
  if (infs) // Masks of attention have some.
    return;
  const auto expectNear = [&](double value, long double wanted) {
    EXPECT_NEAR(value, double(wanted), 1e-5 * std::abs(double(wanted))) << name;
  };
  EXPECT_NEAR(found.sum, double(sum), 1e-6 * double(absolute)) << name;
  expectNear(found.l1(), absolute);
  expectNear(found.l2(), std::sqrt(squares));
  expectNear(found.variance(), centred / count);
  expectNear(found.absVariance(), absCentred / count);
}

/// Compares what steps of the program have shown, and says how much that is.
size_t compareWithValues(const Program &program, const Bits &shown) {
  size_t compared = 0;
  for (const Tap &tap : tapsOfTraining(program))
    for (int step = 0; step < kSteps; ++step) {
      const std::string key = "step " + std::to_string(step);
      const auto elements =
          elementsOf(tap, shown.at(key + " value/" + tap.name));
      const std::vector<std::byte> &bytes =
          shown.at(key + " statistics/" + tap.name);
      std::vector<double> records(bytes.size() / sizeof(double));
      std::memcpy(records.data(), bytes.data(), bytes.size());
      const auto each = size_t(tap.type.elements());
      const size_t parts = elements.size() / each,
                   perPart = records.size() / parts;
      for (size_t i = 0; i < parts; ++i, ++compared)
        expectStatistics(
            std::span(elements).subspan(i * each, each),
            TensorStatistics::of(
                std::span(records).subspan(i * perPart, perPart), each),
            key + " " + tap.name + " of " + std::to_string(i));
    }
  return compared;
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

TEST(TapBits, TwoPartitions) {
  expectSameDivided({2, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1"});
}
TEST(TapBits, TwoPartitionsOfTwoThreads) {
  expectSameDivided({2, PipelineKind::Simple, "cpu:0=0-1,cpu:1=0-1"});
}
TEST(TapBits, ThreePartitions) {
  expectSameDivided({3, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1,cpu:2=0"});
}
TEST(TapBits, FourPartitions) {
  expectSameDivided(
      {4, PipelineKind::Simple, "cpu:0=0,cpu:1=1,cpu:2=0,cpu:3=1"});
}
TEST(TapBits, Recomputation) {
  Division division{2, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1"};
  division.recompute = true;
  expectSameDivided(division);
}

/// Each process is shown all, and has the variables of its own partition.
TEST(TapBits, TwoProcesses) {
  const Division division = watched(
      StepView::Values, {2, PipelineKind::Interleaved, "0/cpu:0,1/cpu:0"});
  const Bits &whole = all();
  onTwoProcesses(division, [&](Session &session, uint32_t) {
    Bits bits;
    train(session, bits, division);
    for (const auto &[name, value] : whole)
      if (isShown(name))
        EXPECT_EQ(value, bits[name]) << name;
  });
}

} // namespace
