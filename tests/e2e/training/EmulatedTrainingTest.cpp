// SPDX-License-Identifier: Apache-2.0
// Losses and weights of a training on GPUs, emulated: the same bits however it
// is divided, whatever order warps and blocks run in, and nearly those of the
// processor.
#include "TrainedBits.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

/// Every Session draws a new order of warps and blocks.
Bits trainedOnGpus(int64_t partitions, PipelineKind pipeline) {
  Division division{partitions, pipeline, ""};
  division.targets = {"cuda"};
  for (int64_t p = 0; p < partitions; ++p)
    division.devices +=
        (p ? "," : "") + ("cuda-emulator:" + std::to_string(p)) + "=0";
  return trained(division);
}

const Bits &whole() {
  static const Bits bits = trainedOnGpus(1, PipelineKind::Interleaved);
  return bits;
}

void expectSame(const Bits &bits) {
  EXPECT_EQ(bits.size(), whole().size());
  for (const auto &[name, value] : bits)
    EXPECT_EQ(value, whole().at(name)) << name;
}

void expectNearlyTheProcessors(const Bits &bits) {
  const Bits processors = trained({});
  ASSERT_EQ(bits.size(), processors.size());
  for (int step = 0; step < kSteps; ++step)
    EXPECT_NEAR(lossOf(bits, step), lossOf(processors, step), 1e-4) << step;
}

TEST(EmulatedTraining, GivesTheProcessorsLosses) {
  expectNearlyTheProcessors(whole());
}
TEST(EmulatedTraining, AnotherOrderOfWarps) {
  expectSame(trainedOnGpus(1, PipelineKind::Interleaved));
}
TEST(EmulatedTraining, TwoPartitions) {
  expectSame(trainedOnGpus(2, PipelineKind::Interleaved));
}
TEST(EmulatedTraining, ThreePartitions) {
  expectSame(trainedOnGpus(3, PipelineKind::Interleaved));
}
TEST(EmulatedTraining, SimpleSchedule) {
  expectSame(trainedOnGpus(2, PipelineKind::Simple));
}
TEST(EmulatedTraining, BesideTheProcessor) {
  Division division{2, PipelineKind::Interleaved, "cuda-emulator:0=0,cpu:0=0"};
  division.targets = {"cuda", "cpu"};
  expectNearlyTheProcessors(trained(division));
}

} // namespace
