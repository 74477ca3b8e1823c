// SPDX-License-Identifier: Apache-2.0
// Saves that go on beside training.
#include "RankTraining.h"
#include "smp/serialization/CheckpointManifest.h"
#include <semaphore>

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

class AsyncSaveTest : public testing::Test {
protected:
  CheckpointManagerOptions here() const {
    CheckpointManagerOptions options;
    options.directory = folder.path();
    return options;
  }
  TemporaryFolder folder;
};

std::string messageOf(const CheckpointSave &save) {
  return save.wait().status().message();
}

/// The first save of a manager, whose thread stays at its end until it is let
/// go: what is asked for meanwhile waits.
class HeldSave {
public:
  explicit HeldSave(CheckpointManager &manager)
      : save(manager.saveAsync([gates = gates](const SaveResult &) {
          gates->reached.release();
          gates->released.acquire();
        })) {
    gates->reached.acquire();
  }
  ~HeldSave() { letGo(); }
  void letGo() {
    if (!std::exchange(isGone, true))
      gates->released.release();
  }

private:
  struct Gates {
    std::binary_semaphore reached{0}, released{0};
  };
  // The save's too, which may still be leaving one.
  const std::shared_ptr<Gates> gates = std::make_shared<Gates>();
  bool isGone = false;

public:
  const CheckpointSave save;
};

//===----------------------------------------------------------------------===//
// What is saved
//===----------------------------------------------------------------------===//

/// All files but their times: the manifest without its time and digest, and
/// nothing of `checkpoint`, which is made of times and names.
std::map<std::string, std::string> contentsOf(const TemporaryFolder &folder) {
  std::map<std::string, std::string> contents;
  for (const std::string &name : folder.names()) {
    std::string &text = contents[name] = folder.read(name);
    if (name == "checkpoint") {
      text.clear();
    } else if (name.ends_with(".json") && !name.ends_with(".index.json")) {
      auto manifest = parseCheckpointManifest(text);
      EXPECT_TRUE(manifest.ok()) << manifest.status().message();
      manifest->time = 0;
      text = formatCheckpointManifest(*manifest);
    }
  }
  return contents;
}

/// How many ranks, and their driver.
class TwinTest
    : public testing::TestWithParam<std::tuple<uint32_t, const char *>> {};

/// Streams of the `null` driver do their work late, after random delays: what
/// an update changed too early would be in the checkpoint, where a read
/// happened to be later. That the update waits at all, HeldSnapshot shows
/// (tests/unit/exec). The CPU lends its variables, which the update takes back.
TEST_P(TwinTest, AnAsynchronousCheckpointIsTheSynchronousOne) {
  constexpr int kSteps = 150;
  const auto [ranks, driver] = GetParam();
  TemporaryFolder folders[2];
  for (bool isAsync : {false, true})
    onThreads(ranks, [&](Communicator &mine) {
      RankTraining training(ranks > 1 ? &mine : nullptr, driver);
      CheckpointManagerOptions options;
      options.directory = folders[isAsync].path();
      options.whenBusy = WhenBusy::Wait;
      CheckpointManager manager(training, options);
      std::vector<CheckpointSave> saves;
      for (int step = 0; step < kSteps; ++step) {
        training.train();
        if (isAsync)
          saves.push_back(manager.saveAsync());
        else
          save(manager);
      }
      for (const CheckpointSave &each : saves)
        EXPECT_EQ(messageOf(each), "");
      EXPECT_EQ(manager.counts().committed, uint64_t(kSteps));
    });
  const auto synchronous = contentsOf(folders[0]);
  const auto asynchronous = contentsOf(folders[1]);
  EXPECT_EQ(synchronous.size(), 1u + kSteps * (ranks == 1 ? 3 : 6));
  for (const auto &[name, text] : synchronous) {
    const auto found = asynchronous.find(name);
    ASSERT_TRUE(found != asynchronous.end()) << name;
    EXPECT_TRUE(found->second == text) << name;
  }
  EXPECT_EQ(asynchronous.size(), synchronous.size());
}

INSTANTIATE_TEST_SUITE_P(Ranks, TwinTest,
                         testing::Combine(testing::Values(1u, 2u),
                                          testing::Values("null", "cpu")));

TEST_F(AsyncSaveTest, ItIsDurableWhenItIsDone) {
  RankTraining training(nullptr);
  CheckpointManager manager(training, here());
  training.train();
  std::string told;
  const CheckpointSave saved = manager.saveAsync(
      [&](const SaveResult &result) { told = result.ok() ? *result : ""; });
  training.train();
  const SaveResult path = saved.wait();
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_TRUE(saved.done());
  EXPECT_EQ(*path, folder.file("ckpt-1"));
  EXPECT_EQ(manager.latest(), *path);
  EXPECT_TRUE(restore(manager)); // It waits for the callback too.
  EXPECT_EQ(told, *path);
  expectAfter(training, 1);
}

TEST_F(AsyncSaveTest, RestoringWaitsForSaves) {
  RankTraining training(nullptr);
  CheckpointManager manager(training, here());
  training.train();
  const CheckpointSave saved = manager.saveAsync();
  EXPECT_TRUE(restore(manager));
  EXPECT_TRUE(saved.done());
  expectAfter(training, 1);
}

TEST_F(AsyncSaveTest, ClosingWaitsForSaves) {
  RankTraining training(nullptr);
  std::vector<CheckpointSave> saves;
  {
    CheckpointManager manager(training, here());
    for (int i = 0; i < 2; ++i)
      saves.push_back(manager.saveAsync());
  }
  for (const CheckpointSave &save : saves) {
    EXPECT_TRUE(save.done());
    EXPECT_EQ(messageOf(save), "");
  }
  CheckpointManager next(training, here());
  EXPECT_EQ(next.latest(), folder.file("ckpt-2"));
}

//===----------------------------------------------------------------------===//
// Which saves are made
//===----------------------------------------------------------------------===//

class BusyTest : public AsyncSaveTest,
                 public testing::WithParamInterface<uint32_t> {};

TEST_P(BusyTest, ANewerSaveTakesThePlaceOfTheOneThatWaits) {
  const uint32_t ranks = GetParam();
  onThreads(ranks, [&](Communicator &mine) {
    RankTraining training(ranks > 1 ? &mine : nullptr);
    CheckpointManager manager(training, here());
    std::vector<CheckpointSave> saves;
    training.train();
    {
      // Other ranks are not held, and all decide the same.
      std::optional<HeldSave> held;
      if (mine.rank() == 0)
        held.emplace(manager);
      else
        saves.push_back(manager.saveAsync());
      for (int i = 0; i < 3; ++i) {
        training.train();
        saves.push_back(manager.saveAsync());
      }
    }
    EXPECT_EQ(messageOf(saves.back()), "");
    for (size_t i = saves.size() - 3; i < saves.size() - 1; ++i) {
      EXPECT_EQ(saves[i].wait().status().code(), StatusCode::Cancelled);
      EXPECT_EQ(messageOf(saves[i]), "a newer save took the place of this one");
    }
    EXPECT_EQ(manager.latest(), folder.file("ckpt-2"));
    training.train();
    EXPECT_TRUE(restore(manager));
    if (mine.rank() < 2) // The third has no variables.
      expectAfter(training, 4);
    EXPECT_EQ(manager.counts().replaced, 2u);
    EXPECT_EQ(manager.counts().committed, 2u);
    EXPECT_EQ(training.warnings, Names());
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, BusyTest, testing::Values(1u, 2u, 3u));

TEST_F(AsyncSaveTest, TheStepWaitsWhereTheOptionsSaySo) {
  RankTraining training(nullptr);
  CheckpointManagerOptions options = here();
  options.whenBusy = WhenBusy::Wait;
  CheckpointManager manager(training, options);
  HeldSave held(manager);
  const CheckpointSave second = manager.saveAsync();
  std::thread letsGo([&] {
    while (manager.counts().waits == 0)
      std::this_thread::yield();
    EXPECT_FALSE(second.done());
    held.letGo();
  });
  const CheckpointSave third = manager.saveAsync();
  letsGo.join();
  for (const CheckpointSave &save : {held.save, second, third})
    EXPECT_EQ(messageOf(save), "");
  EXPECT_EQ(manager.counts().waits, 1u);
  EXPECT_EQ(manager.counts().replaced, 0u);
}

TEST_F(AsyncSaveTest, ABudgetLeavesSavesOut) {
  RankTraining training(nullptr);
  CheckpointManagerOptions options = here();
  options.budget = 1e-9;
  CheckpointManager manager(training, options);
  EXPECT_EQ(messageOf(manager.saveAsync()), ""); // Nothing is known yet.
  const CheckpointSave spaced = manager.saveAsync();
  EXPECT_TRUE(spaced.done());
  EXPECT_EQ(messageOf(spaced), "the budget of saves left this one out");
  EXPECT_EQ(save(manager), folder.file("ckpt-2")); // It was asked to be.
  EXPECT_EQ(manager.counts().spaced, 1u);
  EXPECT_EQ(manager.counts().committed, 2u);
  EXPECT_EQ(training.warnings, Names());
  for (double budget : {0.0, -1.0, 1.5}) {
    options.budget = budget;
    EXPECT_EQ(CheckpointManager(training, options).status().message(),
              "budget is " + std::to_string(budget) +
                  "; it must be above 0 and at most 1");
  }
}

//===----------------------------------------------------------------------===//
// Saves that fail
//===----------------------------------------------------------------------===//

TEST_F(AsyncSaveTest, AFailureIsSaidOnceAndTrainingGoesOn) {
  RankTraining training(nullptr);
  CheckpointManagerOptions options = here();
  options.directory = folder.file("file/checkpoints");
  CheckpointManager manager(training, options);
  folder.write("file", "no folder");
  const std::string why = messageOf(manager.saveAsync());
  EXPECT_TRUE(why.starts_with("cannot make the folder '")) << why;
  EXPECT_EQ(messageOf(CheckpointSave(manager.saveAsync())), why);
  folder.remove("file");
  training.train();
  EXPECT_EQ(messageOf(manager.saveAsync()), "");
  EXPECT_EQ(training.warnings, (Names{"a checkpoint was not saved: " + why,
                                      "a checkpoint was not saved: " + why}));
  EXPECT_EQ(manager.counts().failed, 2u);
  EXPECT_EQ(manager.counts().committed, 1u);
  expectAfter(training, 1);
}

TEST_F(AsyncSaveTest, ARankThatIsGoneIsTheErrorOfEverySave) {
  auto ranks = makeInProcessCommunicators(2);
  std::thread other([&] {
    RankTraining training(ranks[1].get());
    training.train();
    {
      CheckpointManager manager(training, here());
      EXPECT_EQ(messageOf(manager.saveAsync()), "");
    }
    training.close();
    ranks[1].reset();
  });
  RankTraining training(ranks[0].get());
  training.train();
  CheckpointManager manager(training, here());
  EXPECT_EQ(messageOf(manager.saveAsync()), "");
  other.join();
  for (int i = 0; i < 3; ++i) {
    const Status status = manager.saveAsync().wait().status();
    EXPECT_EQ(status.code(), StatusCode::Unavailable);
    EXPECT_EQ(status.message(), "rank 1 has closed its communicator");
  }
  EXPECT_EQ(manager.latest(), folder.file("ckpt-1"));
  EXPECT_EQ(manager.counts().failed, 3u);
}

} // namespace
