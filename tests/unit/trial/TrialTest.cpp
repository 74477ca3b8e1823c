// SPDX-License-Identifier: Apache-2.0
// Trials that are being written, and damaged ones.
#include "smp/trial/Trial.h"
#include "TemporaryFolder.h"
#include "WrittenTrial.h"
#include "smp/base/Thread.h"
#include <gtest/gtest.h>

using namespace smp;
using smp::test::WrittenTrial;

using Steps = std::vector<uint64_t>;

static void cut(const std::filesystem::path &file, uint64_t bytes) {
  std::filesystem::resize_file(file, bytes);
}

TEST(Trial, GrowsWhileItIsWritten) {
  const TemporaryFolder folder;
  const WrittenTrial written(folder.path());
  Trial trial = Trial::open(folder.path()).take();
  EXPECT_EQ(trial.steps(), Steps{});
  for (uint64_t step = 0; step < 600; ++step)
    written.add(step, Mode::Train, step, {{"loss", {float(step)}}});
  EXPECT_EQ(trial.steps(), Steps{});
  ASSERT_TRUE(trial.refresh().ok());
  EXPECT_EQ(trial.steps().size(), 600u);
  written.add(600, Mode::Eval, 0, {{"loss", {1}}, {"more", {2}}});
  ASSERT_TRUE(trial.refresh().ok());
  EXPECT_EQ(trial.steps(Mode::Eval), Steps{0});
  EXPECT_TRUE(trial.hasTensor("more"));
  const auto losses = trial.series("loss", std::nullopt, Mode::Train);
  ASSERT_TRUE(losses.ok()) << losses.status().message();
  ASSERT_EQ(losses->size(), 600u);
  for (uint64_t step = 0; step < 600; ++step)
    EXPECT_EQ((*losses)[step].value, double(step));
}

TEST(Trial, WaitsForSteps) {
  const TemporaryFolder folder;
  const WrittenTrial written(folder.path(), /*workers=*/2);
  Trial trial = Trial::open(folder.path()).take();
  written.add(0, Mode::Train, 0, {{"loss", {1}}}, 0);
  EXPECT_EQ(
      trial.waitForSteps(Steps{0}, Mode::Train, std::chrono::seconds(0)).code(),
      StatusCode::DeadlineExceeded);
  const auto writer = Thread::start(
      "writer", [&] { written.add(0, Mode::Train, 0, {{"loss", {2}}}, 1); });
  ASSERT_TRUE(writer.ok());
  const Status status =
      trial.waitForSteps(Steps{0}, Mode::Train, std::chrono::seconds(60));
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Trial, TornIndexFilesLeaveTheOthers) {
  const TemporaryFolder folder;
  const WrittenTrial written(folder.path());
  for (uint64_t step = 0; step < 3; ++step)
    written.add(step, Mode::Train, step, {{"loss", {float(step)}}});
  cut(written.indexFile(1), 50);
  Trial trial = Trial::open(folder.path()).take();
  EXPECT_EQ(trial.steps(), (Steps{0, 2}));
  EXPECT_EQ(trial.problems(),
            std::vector<std::string>{"index/000000000/000000000001_worker_0."
                                     "json: it is no JSON object"});
  written.add(1, Mode::Train, 1, {{"loss", {5}}});
  ASSERT_TRUE(trial.refresh().ok());
  EXPECT_TRUE(trial.problems().empty());
  EXPECT_EQ(trial.steps(), (Steps{0, 1, 2}));
}

TEST(Trial, TornRecordsAreNamed) {
  const TemporaryFolder folder;
  const WrittenTrial written(folder.path());
  for (uint64_t step = 0; step < 2; ++step)
    written.add(step, Mode::Train, step, {{"a", {1}}, {"loss", {2}}});
  cut(written.eventsFile(0), 100);
  std::filesystem::copy_file(written.eventsFile(0), written.eventsFile(1),
                             std::filesystem::copy_options::overwrite_existing);
  const Trial trial = Trial::open(folder.path()).take();
  EXPECT_EQ(trial.value("loss", {.step = 0}).status().message(),
            "'events/000000000000/000000000000_worker_0.tfevents' ends at byte "
            "100, within a record");
  EXPECT_EQ(trial.value("a", {.step = 1}).status().message(),
            "events/000000000001/000000000001_worker_0.tfevents, record at "
            "byte 0: is 'a' of step 0; the index says 'a' of step 1");
  std::filesystem::remove(written.eventsFile(1));
  EXPECT_EQ(trial.value("a", {.step = 1}).status().code(),
            StatusCode::Unavailable);
}

TEST(Trial, StepsThatContradictAreLeftOut) {
  const TemporaryFolder folder;
  const WrittenTrial written(folder.path(), /*workers=*/2);
  written.add(4, Mode::Train, 0, {{"a", {1}}}, 0);
  written.add(4, Mode::Eval, 0, {{"a", {1}}}, 1);
  written.add(5, Mode::Train, 0, {{"a", {1}}}, 0);
  const Trial trial = Trial::open(folder.path()).take();
  EXPECT_EQ(trial.problems(),
            (std::vector<std::string>{
                "index/000000000/000000000004_worker_1.json: is step 0 of "
                "EVAL; worker_0 has it as step 0 of TRAIN",
                "index/000000000/000000000005_worker_0.json: is step 0 of "
                "TRAIN, which is the step 4 of all"}));
}

static std::string openProblem(const std::string &path) {
  return Trial::open(path).status().message();
}

TEST(Trial, WhatIsNoTrial) {
  const TemporaryFolder folder;
  EXPECT_EQ(openProblem(folder.file("nope")),
            "'" + folder.file("nope") +
                "' is no folder that can be read: No such file or directory");
  EXPECT_EQ(openProblem(folder.path()),
            "'" + folder.path() +
                "' has no collections/*/*_collections.json: it is no trial");
  std::filesystem::create_directory(folder.file("index"));
  EXPECT_EQ(Trial::open(folder.path()).status().code(),
            StatusCode::Unavailable);
  const WrittenTrial written(folder.path(), /*workers=*/2);
  EXPECT_TRUE(Trial::open(folder.path()).ok());
  folder.remove("collections/000000000/worker_1_collections.json");
  written.end();
  EXPECT_EQ(openProblem(folder.path()),
            "'" + folder.path() +
                "' has the collections of 1 workers of 2, and the run has "
                "ended");
  folder.write("collections/000000000/worker_0_collections.json", "{");
  EXPECT_EQ(openProblem(folder.path()),
            "collections/000000000/worker_0_collections.json: it is no JSON "
            "object");
}

TEST(Trial, EndlessRegexesEnd) {
  const TemporaryFolder folder;
  const WrittenTrial written(folder.path());
  written.add(0, Mode::Train, 0, {{std::string(64, 'a') + "b", {1}}});
  const Trial trial = Trial::open(folder.path()).take();
  EXPECT_EQ(trial.tensorNames({.regex = "(a+)+$"}).status().code(),
            StatusCode::ResourceExhausted);
  EXPECT_EQ(
      trial.tensorNames({.regex = "a("}).status().message(),
      "the regex 'a(' is malformed at byte 2: missing closing parenthesis");
}
