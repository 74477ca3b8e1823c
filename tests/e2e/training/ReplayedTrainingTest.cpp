// SPDX-License-Identifier: Apache-2.0
// A training that is restored from any of its checkpoints, with a hook now,
// writes what it would have written.
#include "TemporaryFolder.h"
#include "TimelessFiles.h"
#include "TrainedBits.h"
#include "smp/capture/Hook.h"
#include "smp/checkpoint/CheckpointManager.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

/// Saves all that the steps of a training show, from `first` on, which a
/// checkpoint has; where that is 0 one is made after each step.
void saveFrom(int first, const compile::CompiledModel &compiled,
              const Division &division, const std::string &checkpoints,
              const std::string &run) {
  Session session = openSession(compiled, division);
  CheckpointManager manager(session, {.directory = checkpoints});
  if (first > 0) {
    const auto report =
        manager.restore({.name = "ckpt-" + std::to_string(first)});
    ASSERT_TRUE(report.ok()) << report.status().message();
  }
  Hook hook(
      {.outDir = run, .saveAll = true, .saveConfig = {{.saveInterval = 1}}},
      {.whenBehind = WhenBehind::Wait});
  const Status attached = hook.attach(session);
  ASSERT_TRUE(attached.ok()) << attached.message();
  for (int step = first; step < division.steps; ++step) {
    Division one = division;
    one.steps = step + 1;
    Bits bits;
    train(session, bits, one, step);
    if (first == 0)
      ASSERT_TRUE(manager.save().ok());
  }
  ASSERT_TRUE(hook.close().ok());
}

/// Every value, forward, backward and of the optimizer, of two partitions.
TEST(ReplayedTraining, FromEachCheckpointWritesWhatTheRunWrote) {
  const TemporaryFolder folder;
  Division division{2, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1"};
  division.canBeWatched = true;
  const auto compiled = compileFor(division);
  const std::string checkpoints = folder.file("checkpoints");
  saveFrom(0, compiled, division, checkpoints, folder.file("run"));
  auto written = timelessFiles(folder.file("run"));
  EXPECT_EQ(written.size(), 2u * kSteps + 2);
  for (int step = 1; step < kSteps; ++step) {
    const std::string name = "from-" + std::to_string(step);
    saveFrom(step, compiled, division, checkpoints, folder.file(name));
    // Files are called after their steps.
    std::erase_if(written, [&](const auto &file) {
      return file.first.find("/00000000000" + std::to_string(step - 1) + "_") !=
             file.first.npos;
    });
    EXPECT_EQ(written.size(), 2u * (kSteps - step) + 2);
    const auto replayed = timelessFiles(folder.file(name));
    EXPECT_EQ(replayed.size(), written.size());
    for (const auto &[file, text] : written)
      EXPECT_TRUE(replayed.contains(file) && replayed.at(file) == text)
          << name << " has another " << file;
  }
}

} // namespace
