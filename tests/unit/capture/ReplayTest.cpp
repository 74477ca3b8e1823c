// SPDX-License-Identifier: Apache-2.0
// A run that is restored writes what it would have written.
#include "RankThreads.h"
#include "Recorder.h"
#include "TemporaryFolder.h"
#include "TrainedChain.h"

using namespace smp;
using namespace smp::test;

namespace {

using Files = std::map<std::string, std::string>;
constexpr uint64_t kSteps = 13;

/// Makes steps to the last one, each with a number of the application's own and
/// a checkpoint; `saves`: where they go.
void train(TrainedChain &training, Hook &hook, CheckpointManager *saves) {
  while (training.steps() < kSteps) {
    const uint64_t step = training.steps();
    const Status made = training.step();
    ASSERT_TRUE(made.ok()) << made.message();
    ASSERT_TRUE(hook.saveScalar("number", double(step) / 7).ok());
    if (!saves)
      continue;
    const auto saved = saves->save();
    ASSERT_TRUE(saved.ok()) << saved.status().message();
  }
}

/// Files of steps before `first` are not there.
Files from(uint64_t first, Files files) {
  std::erase_if(files, [&](const auto &file) {
    const auto &name = file.first;
    const size_t at = name.rfind('/') + 1;
    return (name.starts_with("events/") || name.starts_with("index/")) &&
           std::stoull(name.substr(at)) < first;
  });
  return files;
}

class Replay : public testing::TestWithParam<const char *> {
protected:
  HookConfig config(const std::string &name) {
    HookConfig made = everything(folder.file(name));
    made.includeWorkers = GetParam();
    return made;
  }
  std::string checkpoints() { return folder.file("checkpoints"); }

  TemporaryFolder folder;
};

void run(const HookConfig &config, const std::string &checkpoints,
         const std::string &restored, Communicator *communicator) {
  TrainedChain training(communicator);
  CheckpointManager manager(training, {.directory = checkpoints});
  if (!restored.empty()) {
    const auto report = manager.restore({.name = restored});
    ASSERT_TRUE(report.ok()) << report.status().message();
  }
  HookOptions options;
  options.whenBehind = WhenBehind::Wait;
  Hook hook(config, options);
  const Status attached = hook.attach(training);
  ASSERT_TRUE(attached.ok()) << attached.message();
  train(training, hook, restored.empty() ? &manager : nullptr);
  ASSERT_TRUE(hook.close().ok());
}

TEST_P(Replay, OfOneProcessWritesWhatTheRunWrote) {
  run(config("run"), checkpoints(), "", nullptr);
  const Files written = timelessFiles(folder.file("run"));
  EXPECT_EQ(written.size(), 2 * kSteps + 2);
  for (uint64_t step = 1; step < kSteps; ++step) {
    const std::string name = "ckpt-" + std::to_string(step);
    run(config(name), checkpoints(), name, nullptr);
    EXPECT_EQ(timelessFiles(folder.file(name)), from(step, written)) << name;
  }
}

TEST_P(Replay, OfTwoRanksWritesWhatTheRunWrote) {
  onThreads(2, [&](Communicator &communicator) {
    run(config("run"), checkpoints(), "", &communicator);
  });
  const Files written = timelessFiles(folder.file("run"));
  EXPECT_GE(written.size(), 2 * kSteps + 2);
  for (uint64_t step = 1; step < kSteps; ++step) {
    const std::string name = "ckpt-" + std::to_string(step);
    onThreads(2, [&](Communicator &communicator) {
      run(config(name), checkpoints(), name, &communicator);
    });
    EXPECT_EQ(timelessFiles(folder.file(name)), from(step, written)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(WrittenBy, Replay, testing::Values("one", "all"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

/// What a checkpoint says was done is on the disk, also of the last step.
TEST(Resumed, ACheckpointComesAfterTheFilesOfItsSteps) {
  const TemporaryFolder folder;
  TrainedChain training;
  CheckpointManager manager(training, {.directory = folder.file("saved")});
  Hook hook(everything(folder.file("run")));
  ASSERT_TRUE(hook.attach(training).ok());
  for (uint64_t step = 0; step < 4; ++step) {
    ASSERT_TRUE(training.step().ok());
    ASSERT_TRUE(manager.save().ok());
    EXPECT_EQ(hook.report().written, step + 1);
    EXPECT_EQ(timelessFiles(folder.file("run")).size(), 2 * step + 4);
  }
}

/// What is said of a step after a checkpoint joins what was written of it.
TEST(Resumed, WhatIsSaidAfterACheckpointIsNotLost) {
  const TemporaryFolder folder;
  Files files[2];
  for (const bool saves : {false, true}) {
    const std::string name = saves ? "with" : "without";
    TrainedChain training;
    CheckpointManager manager(training,
                              {.directory = folder.file(name + "-saved")});
    Hook hook(everything(folder.file(name)));
    ASSERT_TRUE(hook.attach(training).ok());
    for (int step = 0; step < 4; ++step) {
      ASSERT_TRUE(training.step().ok());
      ASSERT_TRUE(hook.saveScalar("before", step).ok());
      if (saves)
        ASSERT_TRUE(manager.save().ok());
      ASSERT_TRUE(hook.saveScalar("after", step).ok());
    }
    ASSERT_TRUE(hook.close().ok());
    EXPECT_EQ(hook.report().written, 4u);
    files[saves] = timelessFiles(folder.file(name));
    uint64_t bytes = 0;
    for (const auto &[file, text] : files[saves])
      if (file.starts_with("events") || file.starts_with("index"))
        bytes += text.size();
    EXPECT_EQ(hook.report().bytes, bytes);
  }
  EXPECT_EQ(files[0], files[1]);
}

/// A Session that goes back writes the same steps again.
TEST(Resumed, AHookOutlivesARestore) {
  const TemporaryFolder folder;
  TrainedChain training;
  CheckpointManager manager(training, {.directory = folder.file("saved")});
  Hook hook(everything(folder.file("run")));
  ASSERT_TRUE(hook.attach(training).ok());
  ASSERT_TRUE(training.step().ok());
  ASSERT_TRUE(manager.save().ok());
  ASSERT_TRUE(training.step().ok());
  ASSERT_TRUE(manager.save().ok());
  const Files before = timelessFiles(folder.file("run"));
  ASSERT_TRUE(manager.restore({.name = "ckpt-1"}).ok());
  ASSERT_TRUE(training.step().ok());
  ASSERT_TRUE(manager.save().ok());
  EXPECT_EQ(timelessFiles(folder.file("run")), before);
}

} // namespace
