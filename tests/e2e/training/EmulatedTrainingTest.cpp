// SPDX-License-Identifier: Apache-2.0
// Losses and weights of a training on GPUs, emulated: the same bits however it
// is divided, whatever order warps and blocks run in, killed or not, and nearly
// those of the processor. SMP_TEST_LONG=1 has ten steps of a larger model.
#include "TrainedBits.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

/// One partition on the processor.
Division smallOrLarge() {
  Division division;
  if (!std::getenv("SMP_TEST_LONG"))
    return division;
  division.shape.layers = 2;
  division.shape.heads = 4;
  division.shape.width = division.shape.block = 64;
  division.shape.characters = 96;
  division.steps = 10;
  return division;
}

/// A partition on each of a list of devices.
Division onGpus(int64_t partitions, const std::string &devices,
                PipelineKind pipeline = PipelineKind::Interleaved) {
  Division division = smallOrLarge();
  division.partitions = partitions;
  division.pipeline = pipeline;
  division.devices = devices;
  division.targets = {"cuda"};
  division.seed = 1;
  return division;
}

const char *const kOne = "cuda-emulator:0";
const char *const kTwo = "cuda-emulator:0=0,cuda-emulator:1=0";
const char *const kThree = "cuda-emulator:0,cuda-emulator:1,cuda-emulator:2";

const Bits &whole() {
  static const Bits bits = trained(onGpus(1, kOne));
  return bits;
}

/// All of the bits are those of the whole training.
void expectAmongThose(const Bits &bits) {
  EXPECT_FALSE(bits.empty());
  for (const auto &[name, value] : bits)
    EXPECT_EQ(value, whole().at(name)) << name;
}

void expectSame(const Division &division) {
  const Bits bits = trained(division);
  EXPECT_EQ(bits.size(), whole().size());
  expectAmongThose(bits);
}

void expectNearlyTheProcessors(const Bits &bits) {
  const Division processor = smallOrLarge();
  const Bits expected = trained(processor);
  ASSERT_EQ(bits.size(), expected.size());
  for (int step = 0; step < processor.steps; ++step)
    EXPECT_NEAR(lossOf(bits, step), lossOf(expected, step), 1e-4) << step;
  EXPECT_LT(lossOf(bits, processor.steps - 1), lossOf(bits, 0));
}

TEST(EmulatedTraining, GivesTheProcessorsLosses) {
  expectNearlyTheProcessors(whole());
}
TEST(EmulatedTraining, AnotherOrderOfWarps) {
  Division division = onGpus(1, kOne);
  division.seed = 2;
  expectSame(division);
}
TEST(EmulatedTraining, TwoPartitions) { expectSame(onGpus(2, kTwo)); }
TEST(EmulatedTraining, ThreePartitions) { expectSame(onGpus(3, kThree)); }
TEST(EmulatedTraining, SimpleSchedule) {
  expectSame(onGpus(2, kTwo, PipelineKind::Simple));
}
TEST(EmulatedTraining, ThreePartitionsOfASimpleSchedule) {
  if (!std::getenv("SMP_TEST_LONG"))
    GTEST_SKIP() << "its parts, three partitions and the simple schedule, are "
                    "tested alone; together with SMP_TEST_LONG";
  expectSame(onGpus(3, kThree, PipelineKind::Simple));
}
TEST(EmulatedTraining, BesideTheProcessor) {
  Division division = onGpus(2, "cuda-emulator:0,cpu:0=0");
  division.targets = {"cuda", "cpu"};
  expectNearlyTheProcessors(trained(division));
}
TEST(EmulatedTraining, TwoProcesses) {
  const Division division = onGpus(2, "0/cuda-emulator:0,1/cuda-emulator:0");
  whole(); // Once, not in both.
  onTwoProcesses(division, [&](Session &session, uint32_t) {
    Bits bits;
    train(session, bits, division);
    EXPECT_LT(bits.size(), whole().size()); // Each has a part of the variables.
    EXPECT_TRUE(bits.count("step 0 loss"));
    expectAmongThose(bits);
  });
}
TEST(EmulatedTraining, KilledAndResumed) {
  const Division division = onGpus(2, kTwo);
  const Bits bits = killedAndResumed(division, division.steps / 2);
  EXPECT_EQ(bits.count("step 0 loss"), 0u);
  EXPECT_EQ(bits.count("step " + std::to_string(division.steps / 2) + " loss"),
            1u);
  expectAmongThose(bits);
}

} // namespace
