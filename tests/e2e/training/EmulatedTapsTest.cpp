// SPDX-License-Identifier: Apache-2.0
// A training on GPUs, emulated, shows the same bits on one and two of them and
// whatever order warps run in; whoever watches changes none.
#include "ShownStatistics.h"
#include "smp/serialization/ProgramFile.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

/// A small training, on a list of devices.
Division onGpus(int64_t partitions, const std::string &devices) {
  Division division{partitions, PipelineKind::Interleaved, devices};
  division.targets = {"cuda"};
  division.seed = 1;
  division.steps = 2;
  division.shape.layers = 2;
  division.shape.microbatches = 2;
  return division;
}

const char *const kOne = "cuda-emulator:0";

const Bits &all() {
  static const Bits bits = trained(watched(StepView::Values, onGpus(1, kOne)));
  return bits;
}

TEST(EmulatedTaps, ChangeNothing) {
  expectEqual(unshown(all()), trained(onGpus(1, kOne)));
}

TEST(EmulatedTaps, StatisticsAreThoseOfTheValues) {
  const Division division = watched(StepView::Values, onGpus(1, kOne));
  const auto compiled = compileFor(division);
  const auto program = readProgram(compiled.bytes());
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_GE(compareWithValues(program->program(), all(), division.steps), 200u);
}

TEST(EmulatedTaps, StatisticsAloneAreTheSame) {
  Bits statistics = all();
  std::erase_if(statistics, [](const auto &each) {
    return each.first.find(" value/") != each.first.npos;
  });
  expectEqual(trained(watched(StepView::Statistics, onGpus(1, kOne))),
              statistics);
}

TEST(EmulatedTaps, AnotherOrderOfWarps) {
  Division division = watched(StepView::Values, onGpus(1, kOne));
  division.seed = 2;
  expectEqual(trained(division), all());
}

TEST(EmulatedTaps, TwoPartitions) {
  expectEqual(trained(watched(StepView::Values,
                              onGpus(2, "cuda-emulator:0,cuda-emulator:1"))),
              all());
}

} // namespace
