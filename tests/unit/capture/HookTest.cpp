// SPDX-License-Identifier: Apache-2.0
// A hook sees what steps give, by mode and step, and harms no run.
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

class HookTest : public testing::Test, protected Watched {};

TEST_F(HookTest, RecordsLossesByModeAndStep) {
  Hook hook(everyStep());
  EXPECT_EQ(hook.mode(), Mode::Global);
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  EXPECT_EQ(hook.mode(), Mode::Global);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(step("train", float(i), /*microbatches=*/4).ok());
  EXPECT_EQ(hook.mode(), Mode::Train);
  ASSERT_TRUE(step("eval", 10).ok());
  EXPECT_EQ(hook.mode(), Mode::Eval);
  ASSERT_TRUE(step("predict", 20).ok());
  EXPECT_EQ(hook.mode(), Mode::Predict);
  ASSERT_TRUE(step("train", 3).ok());

  const std::vector<CapturedValue> all = hook.values("loss");
  ASSERT_EQ(all.size(), 5u);
  const std::vector<CapturedValue> train = hook.values("loss", Mode::Train);
  ASSERT_EQ(train.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(train[i].modeStep, i);
    EXPECT_EQ(train[i].mean(), 2.0 * double(i) + 1);
    EXPECT_EQ(train[i].entry, "train");
  }
  EXPECT_EQ(train[0].shape, (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(train[3].globalStep, 5u);
  const std::vector<CapturedValue> eval = hook.values("loss", Mode::Eval);
  ASSERT_EQ(eval.size(), 1u);
  EXPECT_EQ(eval[0].modeStep, 0u);
  EXPECT_EQ(eval[0].globalStep, 3u);
  EXPECT_TRUE(hook.values("loss", Mode::Predict).empty());
  EXPECT_TRUE(hook.values("y").empty()); // Nobody asked for it.
}

TEST_F(HookTest, ALossOfEachMicrobatchIsStacked) {
  session.reset();
  maker = makeChain(1);
  maker->entry().outputs[0].batchAxis = -1;
  openFile({});
  Hook hook(everyStep());
  ASSERT_TRUE(hook.registerLoss("y").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  const TestTensor x({6, 8}); // Three microbatches of 16 elements.
  ASSERT_TRUE(session->step("predict", std::vector{x.as("x")}, {}).ok());
  ASSERT_TRUE(step("predict", 4).ok());
  const std::vector<CapturedValue> values = hook.values("y");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].shape, (std::vector<int64_t>{3, 2, 8}));
  EXPECT_EQ(values[0].bytes.size(), 3u * 64u);
  EXPECT_EQ(values[0].mean(), 2 * 23.5 + 1); // Of 0 to 47.
  EXPECT_EQ(values[1].shape, (std::vector<int64_t>{2, 8}));
  EXPECT_EQ(values[1].mean(), 9);
}

TEST_F(HookTest, SavesSomeStepsAndKeepsSome) {
  Hook hook({.saveConfig = {{.saveInterval = 3}}}, {.keepValues = 2});
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("eval", 0).ok()); // Does not move the steps of TRAIN.
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(step("train", float(i)).ok());
  std::vector<uint64_t> steps;
  for (const CapturedValue &value : hook.values("loss"))
    steps.push_back(value.modeStep);
  EXPECT_EQ(steps, (std::vector<uint64_t>{3, 6}));
}

TEST_F(HookTest, AnUnknownOutputIsNamed) {
  const std::string message =
      "the hook is to watch 'lose', which the program neither gives nor shows; "
      "it gives 'loss', 'y'; compile it with --capture or --capture-all";
  Hook before;
  ASSERT_TRUE(before.registerLoss("lose").ok());
  EXPECT_EQ(before.attach(*session).message(), message);
  Hook after;
  ASSERT_TRUE(after.attach(*session).ok());
  EXPECT_EQ(after.registerLoss("lose").message(), message);
  EXPECT_TRUE(after.registerLoss("loss").ok());
}

TEST_F(HookTest, WrongUseIsAnError) {
  EXPECT_EQ(
      Hook({.saveConfig = {{.saveInterval = 0}}}).attach(*session).message(),
      "the hook: 'save_interval' is 0; it must be 1 or more (to save nothing, "
      "set 'end_step' to 0)");
  Hook hook;
  ASSERT_TRUE(hook.attach(*session).ok());
  EXPECT_EQ(hook.attach(*session).message(),
            "the hook is attached to a Session, or closed; every Session needs "
            "a hook of its own");
  Hook empty;
  empty.collection("mine");
  EXPECT_NE(empty.attach(*session).message().find("the collection 'mine' has "
                                                  "neither a regex nor"),
            std::string::npos);
  EXPECT_EQ(Hook({.exportTensorboard = true}).attach(*session).message(),
            "TensorBoard is to be exported to, but the hook writes nothing; "
            "give it an outDir");
}

TEST_F(HookTest, OutlivesItsSession) {
  Hook hook(everyStep());
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  session.reset();
  EXPECT_EQ(hook.values("loss").size(), 1u);
}

/// Runs `body` in a process of its own.
template <typename Body>
int inChild(Body body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// From now on no file of this process grows beyond 50 bytes.
void limitFiles() {
  std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {50, 50};
  setrlimit(RLIMIT_FSIZE, &limit);
}

/// A disk on which no file can grow fails after some step, and that once.
class FullDiskTest : public testing::TestWithParam<OnObserverError> {};

TEST_P(FullDiskTest, SwitchesTheHookOffAndSaysItOnce) {
  TemporaryFolder folder;
  const bool stops = GetParam() == OnObserverError::Stop;
  EXPECT_EQ(
      inChild([&] {
        Watched test; // A Session of that process.
        Hook hook(everyStep(folder.file("run")), {.onError = GetParam()});
        bool good = hook.registerLoss("loss").ok() &&
                    hook.attach(*test.session).ok() &&
                    test.step("train", 1).ok() && test.step("train", 1).ok();
        while (hook.report().written == 0) // The first is on the disk.
          std::this_thread::yield();
        limitFiles();
        int failed = 0;
        while (test.warnings.empty()) // Until the thread has come to a file.
          failed += !test.step("train", 1).ok();
        for (int i = 0; i < 30; ++i)
          failed += !test.step("train", 1).ok();
        good &= failed == (stops ? 1 : 0);
        good &= test.warnings.size() == 1;
        good &= test.warnings.at(0).find("000000000001_worker_0.tfevents': "
                                         "File too large") != std::string::npos;
        good &= !hook.close().ok() && hook.report().written == 1;
        return good;
      }),
      0);
  std::vector<std::string> files; // Of the step before alone, and whole.
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder.file("run/events")))
    if (entry.is_regular_file())
      files.push_back(entry.path().filename());
  EXPECT_EQ(files, std::vector<std::string>{"000000000000_worker_0.tfevents"});
}

INSTANTIATE_TEST_SUITE_P(OnError, FullDiskTest,
                         testing::Values(OnObserverError::SwitchOff,
                                         OnObserverError::Stop));

} // namespace
