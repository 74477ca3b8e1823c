// SPDX-License-Identifier: Apache-2.0
// What is complete, what is the latest, and who may save and delete.
#include "MemoryDisk.h"
#include "RankTraining.h"
#include "smp/serialization/CheckpointState.h"
#include "smp/serialization/Crc32c.h"
#include <csignal>
#include <set>
#include <sys/wait.h>

using namespace smp;
using namespace smp::test;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

/// Managers of a number: each save adds 1.
class CompleteTest : public testing::Test {
protected:
  CheckpointManager open(const std::string &name = "ckpt",
                         std::optional<int64_t> maxToKeep = {}) {
    return CheckpointManager(Checkpoint{{"number", number}},
                             {.directory = directory,
                              .maxToKeep = maxToKeep,
                              .checkpointName = name,
                              .log = [this](LogLevel, std::string_view line) {
                                log.emplace_back(line);
                              }});
  }
  void saveNext(CheckpointManager &manager, int times = 1) {
    for (; times > 0; --times) {
      ++number;
      save(manager);
    }
  }
  void saveThree() {
    CheckpointManager manager = open();
    saveNext(manager, 3);
  }
  /// By a new manager.
  int64_t restored(const std::string &name = "ckpt") {
    CheckpointManager manager = open(name);
    number = -1;
    const auto restored = manager.restore();
    EXPECT_TRUE(restored.ok()) << restored.status().message();
    return number;
  }
  std::string refusal(const std::string &name = "ckpt") {
    return open(name).save().status().message();
  }
  CheckpointState state() {
    auto read = parseCheckpointState(folder.read("checkpoint"));
    EXPECT_TRUE(read.ok()) << read.status().message();
    return read.ok() ? read.take() : CheckpointState();
  }

  TemporaryFolder folder;
  std::string directory = folder.path();
  int64_t number = 0;
  Names log;
};

//===----------------------------------------------------------------------===//
// The latest
//===----------------------------------------------------------------------===//

TEST_F(CompleteTest, WithoutTheTextFileTheNewestIsTheLatest) {
  saveThree();
  folder.remove("checkpoint");
  EXPECT_EQ(open().latest(), folder.file("ckpt-3"));
  EXPECT_EQ(log, Names{"there is no file '" + folder.file("checkpoint") +
                       "'; the latest checkpoint that is complete is "
                       "'ckpt-3'"});
  EXPECT_EQ(restored(), 3);
  EXPECT_EQ(state().latest, "ckpt-3"); // Made anew.
  EXPECT_EQ(state().all, (Names{"ckpt-1", "ckpt-2", "ckpt-3"}));
  log.clear();
  EXPECT_EQ(restored(), 3);
  EXPECT_EQ(log, Names());
}

TEST_F(CompleteTest, EveryBitOfTheTextFileGivesACheckpointOrAnError) {
  MemoryDisk disk("/");
  auto openThere = [&] {
    return CheckpointsOver::open(disk, Checkpoint{{"number", number}},
                                 {.directory = "/a"});
  };
  {
    CheckpointManager manager = openThere();
    saveNext(manager, 3);
  }
  const std::string path = "/a/checkpoint", good = disk.text(path);
  std::set<int64_t> seen;
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = char(bad[bit / 8] ^ 1 << bit % 8);
    disk.put(path, bad);
    CheckpointManager manager = openThere();
    number = 0;
    const auto restored = manager.restore();
    EXPECT_TRUE(restored.ok() ? *restored && number >= 1 : number == 0)
        << "bit " << bit;
    seen.insert(number);
  }
  EXPECT_TRUE(seen.count(3));
}

TEST_F(CompleteTest, OneThatLacksAFileIsNotTheLatest) {
  saveThree();
  const std::string file = "ckpt-3.state.safetensors";
  const std::string good = folder.read(file);
  const std::string named = "'" + folder.file("checkpoint") +
                            "' names 'ckpt-3', which is not complete (";
  const std::string then =
      "); the latest checkpoint that is complete is 'ckpt-2'";
  folder.write(file, good.substr(1));
  EXPECT_EQ(open().latest(), folder.file("ckpt-2"));
  EXPECT_EQ(log.back(), named + folder.file(file) + ": it has " +
                            std::to_string(good.size() - 1) + " bytes, of " +
                            std::to_string(good.size()) + " that were written" +
                            then);
  folder.remove(file);
  EXPECT_EQ(open().checkpoints(),
            (Names{folder.file("ckpt-1"), folder.file("ckpt-2")}));
  EXPECT_EQ(log.back(), named + "the checkpoint lacks a file: cannot read '" +
                            folder.file(file) + "': No such file or directory" +
                            then);
  folder.remove("ckpt-3.json");
  EXPECT_EQ(restored(), 2);
  EXPECT_EQ(state().latest, "ckpt-2");
  CheckpointManager manager = open();
  saveNext(manager);
  EXPECT_EQ(manager.latest(), folder.file("ckpt-4")); // No number twice.
}

TEST_F(CompleteTest, WithoutAnyThatIsCompleteNothingBeginsAnew) {
  saveThree();
  for (const char *manifest : {"ckpt-1.json", "ckpt-2.json", "ckpt-3.json"})
    folder.remove(manifest);
  CheckpointManager manager = open();
  EXPECT_EQ(manager.latest(), "");
  const Status status = manager.restore().status();
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_TRUE(status.message().ends_with(
      "; there is no complete checkpoint: remove '" +
      folder.file("checkpoint") + "' and what is left of others to begin anew"))
      << status.message();
}

TEST_F(CompleteTest, AManifestOfANewerVersionIsNoDamage) {
  saveThree();
  std::string text = folder.read("ckpt-3.json");
  text.replace(text.find("\"version\": 2"), 12, "\"version\": 3");
  text.resize(text.rfind("  \"crc32c\": "));
  text += "  \"crc32c\": " +
          std::to_string(crc32c(std::as_bytes(std::span(text)))) + "\n}\n";
  folder.write("ckpt-3.json", text);
  CheckpointManager manager = open();
  const Status status = manager.restore({.fallBack = true}).status();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(),
            folder.file("ckpt-3.json") +
                ": version is 3; this version of smp reads 1 to 2: use a "
                "newer one");
}

TEST_F(CompleteTest, FoldersThatWereCopiedOrMovedWork) {
  saveThree();
  CheckpointManager live = open();
  saveNext(live); // Its lock is copied too, and is none there.
  TemporaryFolder other;
  const std::string copied = other.file("copied"), moved = other.file("moved");
  fs::copy(directory, copied);
  for (const std::string &place : {copied, moved}) {
    if (place == moved)
      fs::rename(copied, moved);
    directory = place;
    CheckpointManager manager = open("ckpt", 2);
    EXPECT_TRUE(restore(manager));
    saveNext(manager);
    EXPECT_EQ(manager.checkpoints().size(), 2u);
  }
  directory = folder.path();
  saveNext(live);
  EXPECT_EQ(live.checkpoints().size(), 5u);
}

//===----------------------------------------------------------------------===//
// One manager per name
//===----------------------------------------------------------------------===//

TEST_F(CompleteTest, OneLiveManagerSavesUnderAName) {
  auto first = std::make_unique<CheckpointManager>(open());
  saveNext(*first);
  EXPECT_EQ(refusal(), "another manager saves 'ckpt-N' in '" + directory +
                           "': this process, which has locked '" +
                           folder.file("ckpt.lock") +
                           "'; end it, or give this one another directory or "
                           "checkpointName");
  EXPECT_EQ(restored(), 1); // Who only restores is welcome.
  EXPECT_EQ(refusal("other"), "");
  first.reset();
  EXPECT_FALSE(fs::exists(folder.file("ckpt.lock")));
  EXPECT_EQ(refusal(), "");
}

TEST_F(CompleteTest, ALockEndsWithItsProcess) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    CheckpointManager manager = open();
    const bool isSaved = manager.save().ok();
    if (write(ready[1], &isSaved, 1) == 1)
      pause();
    _exit(1);
  }
  bool isSaved = false;
  ASSERT_EQ(read(ready[0], &isSaved, 1), 1);
  EXPECT_TRUE(isSaved);
  EXPECT_NE(refusal().find("process " + std::to_string(child) + " on '"),
            std::string::npos)
      << refusal();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(folder.file("ckpt.lock")));
  EXPECT_EQ(refusal(), "");
}

TEST_F(CompleteTest, WhatOthersSavedMeanwhileIsKnown) {
  CheckpointManager late = open();
  saveThree();
  saveNext(late);
  EXPECT_EQ(late.latest(), folder.file("ckpt-4"));
  EXPECT_EQ(state().all, (Names{"ckpt-1", "ckpt-2", "ckpt-3", "ckpt-4"}));
}

//===----------------------------------------------------------------------===//
// Several names
//===----------------------------------------------------------------------===//

TEST_F(CompleteTest, ManagersOfSeveralNamesShareAFolder) {
  CheckpointManager often = open("ckpt", 2), best = open("ckpt-best", 1);
  saveNext(often, 2); // 1, 2
  saveNext(best);     // 3
  saveNext(often, 2); // 4, 5
  saveNext(best);     // 6
  saveNext(often);    // 7
  const Names expected{"ckpt-best-2", "ckpt-4", "ckpt-5"};
  EXPECT_EQ(state().all, expected);
  EXPECT_EQ(state().latest, "ckpt-5");
  EXPECT_EQ(restored("ckpt"), 7);
  EXPECT_EQ(restored("ckpt-best"), 6);
  EXPECT_EQ(often.checkpoints(),
            (Names{folder.file("ckpt-4"), folder.file("ckpt-5")}));
  EXPECT_EQ(best.checkpoints(), Names{folder.file("ckpt-best-2")});
  EXPECT_EQ(restored("third"), -1);
  EXPECT_EQ(log, Names());
}

TEST_F(CompleteTest, WhatAnotherManagerIsWritingStays) {
  const Names theirs{"ckpt-best-1.model.safetensors.tmp-1-0",
                     "checkpoint.tmp-1-1", "ckpt-best.lock",
                     "ckpt-1.model-best-1.model.safetensors"};
  const Names ours{"ckpt-1.model.safetensors.tmp-1-0", "ckpt-7.json.tmp-1-2"};
  for (const Names &names : {theirs, ours})
    for (const std::string &name : names)
      folder.write(name, "");
  {
    CheckpointManager manager = open("ckpt", 1);
    saveNext(manager, 2);
  }
  for (const std::string &name : theirs)
    EXPECT_TRUE(fs::exists(folder.file(name))) << name;
  for (const std::string &name : ours)
    EXPECT_FALSE(fs::exists(folder.file(name))) << name;
  folder.remove("ckpt-best.lock");
  CheckpointManager manager = open();
  saveNext(manager);
  EXPECT_FALSE(fs::exists(folder.file("checkpoint.tmp-1-1")));
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

TEST_F(CompleteTest, RanksFallBackTogether) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManager manager(training, {.directory = directory});
    for (int i = 0; i < 2; ++i) {
      training.train();
      save(manager);
    }
  });
  const std::string file = "ckpt-2.model-00002-of-00002.safetensors";
  std::string text = folder.read(file);
  text.back() ^= 1;
  folder.write(file, text);
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    CheckpointManager manager(training, {.directory = directory});
    const Status status = manager.restore().status();
    EXPECT_EQ(status.code(), StatusCode::DataLoss);
    EXPECT_TRUE(status.message().ends_with(
        "to one of 'ckpt-1', or restore with fallBack"))
        << status.message();
    expectAfter(training, 0);
    const auto restored = manager.restore({.fallBack = true});
    EXPECT_TRUE(restored.ok()) << restored.status().message();
    expectAfter(training, 1);
    training.train();
    EXPECT_EQ(save(manager), folder.file("ckpt-3"));
  });
}

} // namespace
