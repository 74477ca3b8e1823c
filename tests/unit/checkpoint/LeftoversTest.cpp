// SPDX-License-Identifier: Apache-2.0
// What saves and deletions left that were killed: the next manager of the name
// removes it, and nothing else.
#include "GoldenTraining.h"
#include "ManagedNumber.h"
#include "MemoryDisk.h"
#include "TroubledFiles.h"

using namespace smp;
using namespace smp::test;
namespace fs = std::filesystem;

namespace {

class LeftoversTest : public ManagedNumber {
protected:
  LeftoversTest() { options.maxToKeep = 2; }

  /// Saves whose parameters are in two files, so that there is an index. The
  /// last one has the number; its files, but for the manifest, stay in `kept`.
  void saveSharded(int64_t last) {
    TemporaryFolder other;
    Trained session;
    CheckpointManagerOptions sharded;
    sharded.directory = other.path();
    sharded.sharding = std::make_shared<MaxShardSizePolicy>(32);
    CheckpointManager manager(session, sharded);
    ASSERT_TRUE(manager.save({.number = last}).ok());
    for (const std::string &name : other.names())
      if (name.ends_with(".safetensors") || name.ends_with(".index.json"))
        kept[name] = other.read(name);
    ASSERT_GT(kept.size(), 3u);
  }
  /// Of `kept` those that end so are there.
  void putBack(std::string_view end) {
    for (const auto &[name, text] : kept)
      if (name.ends_with(end))
        folder.write(name, text);
  }
  /// A new manager restores what is there, if it is, and saves once.
  void goOn() {
    CheckpointManager manager = open();
    ASSERT_TRUE(manager.restore().ok());
    saveNext(manager);
  }

  std::map<std::string, std::string> kept;
};

TEST_F(LeftoversTest, ALoneIndexIsOurs) {
  saveSharded(7);
  putBack(".index.json"); // All that a power cut left of it.
  EXPECT_EQ(folder.names(), Names{"ckpt-7.model.safetensors.index.json"});
  goOn();
  EXPECT_EQ(folder.names(),
            (Names{"checkpoint", "ckpt-1.json", "ckpt-1.state.safetensors"}));
  EXPECT_EQ(log, Names());
}

TEST_F(LeftoversTest, ALoneIndexOfTheNextNumberIsInNobodysWay) {
  saveSharded(1);
  putBack(".index.json");
  goOn();
  EXPECT_EQ(folder.names(),
            (Names{"checkpoint", "ckpt-1.json", "ckpt-1.state.safetensors"}));
  EXPECT_EQ(log, Names());
}

TEST_F(LeftoversTest, TheIndexOfAnotherStays) {
  saveSharded(7);
  folder.write("ckpt-8.model.safetensors.index.json", kept.begin()->second);
  folder.write("ckpt-9.model.safetensors.index.json",
               "{\"metadata\":{\"total_size\":4},\"weight_map\":{}}");
  folder.write("ckpt-10.model.safetensors.index.json",
               "{\"metadata\":{\"smp.checkpoint\":[\"ckpt-10\"]}}");
  folder.write("best-7.model.safetensors.index.json",
               kept.at("ckpt-7.model.safetensors.index.json"));
  const Names before = folder.names();
  goOn();
  for (const std::string &name : before)
    EXPECT_TRUE(fs::exists(folder.file(name))) << name;
}

TEST_F(LeftoversTest, FilesWithoutAManifestAreRemovedWhateverTheirNumber) {
  saveSharded(70);
  putBack("json");
  putBack(".safetensors");
  folder.write("ckpt-70.pt", "mine");
  goOn();
  EXPECT_EQ(folder.names(), (Names{"checkpoint", "ckpt-1.json",
                                   "ckpt-1.state.safetensors", "ckpt-70.pt"}));
}

TEST_F(LeftoversTest, FilesOfAReplacementThatWasKilledAreRemoved) {
  {
    CheckpointManager manager = open();
    saveNext(manager, {.number = 5});
    folder.write("old", folder.read("ckpt-5.state.safetensors"));
    saveNext(manager, {.number = 5});
  }
  const Names before = folder.names();
  EXPECT_EQ(before, (Names{"checkpoint", "ckpt-5.again.state.safetensors",
                           "ckpt-5.json", "old"}));
  fs::rename(folder.file("old"), folder.file("ckpt-5.state.safetensors"));
  goOn();
  EXPECT_EQ(folder.names(),
            (Names{"checkpoint", "ckpt-5.again.state.safetensors",
                   "ckpt-5.json", "ckpt-6.json", "ckpt-6.state.safetensors"}));
  CheckpointManager manager = open();
  EXPECT_EQ(restored(manager), 3);
}

/// What the file `checkpoint` lists is deleted by who has restored.
TEST_F(LeftoversTest, ADeletionIsGoneOnWithByWhoHasRestored) {
  {
    CheckpointManager manager = open();
    saveNext(manager);
    saveNext(manager);
  }
  folder.remove("ckpt-1.json");
  {
    CheckpointManager manager = open();
    saveNext(manager);
    EXPECT_TRUE(fs::exists(folder.file("ckpt-1.state.safetensors")));
  }
  goOn();
  EXPECT_FALSE(fs::exists(folder.file("ckpt-1.state.safetensors")));
}

//===----------------------------------------------------------------------===//
// Version 1, whose files do not say whose they are
//===----------------------------------------------------------------------===//

/// The names in a folder of what `ckpt-1` consists of.
Names filesOfFirst(const TemporaryFolder &folder) {
  Names names;
  for (const std::string &name : folder.names())
    if (name.starts_with("ckpt-1."))
      names.push_back(name);
  return names;
}

TEST(ReplacedVersion1, KilledAtAnyOperationItIsReplacedOnTheNextStart) {
  int news = 0, at = 0;
  for (bool isKilled = true; isKilled && !testing::Test::HasFailure(); ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    TemporaryFolder folder;
    fs::copy(fs::path(SMP_TEST_SOURCE_DIR) / "golden/checkpoint-1",
             folder.path());
    CheckpointManagerOptions options;
    options.directory = folder.path();
    GoldenTraining training(nullptr);
    TroubledFiles files(FileSystem::disk());
    {
      auto manager =
          CheckpointsOver::open(files, training.checkpoint(), options);
      ASSERT_TRUE(restore(manager));
      training.epoch = 8;
      files.begin(at, Failing::Changes);
      (void)manager.save({.number = 1}); // Nobody hears of it.
      isKilled = files.wereTroubled();
    }
    files.end();
    CheckpointManager manager(training.checkpoint(), options);
    ASSERT_TRUE(restore(manager));
    EXPECT_TRUE(training.epoch == 7 || training.epoch == 8) << training.epoch;
    news += isKilled && training.epoch == 8;
    training.epoch = 9;
    const auto saved = manager.save({.number = 1});
    ASSERT_TRUE(saved.ok()) << saved.status().message();
    training.epoch = 0;
    ASSERT_TRUE(restore(manager));
    EXPECT_EQ(training.epoch, 9);
    EXPECT_EQ(filesOfFirst(folder).size(), 3u)
        << testing::PrintToString(folder.names());
  }
  EXPECT_GT(news, 3); // Killed after the manifest took the other's place.
  EXPECT_GT(at, 20);
}

/// All that was left when it was killed after the rename, or one file of it.
TEST(ReplacedVersion1, WhatIsLeftOfItIsRemovedByTheNextManager) {
  const fs::path golden = fs::path(SMP_TEST_SOURCE_DIR) / "golden/checkpoint-1";
  Names lefts{""};
  for (const auto &file : fs::directory_iterator(golden))
    if (const std::string name = file.path().filename();
        name != "ckpt-1.json" && name != "checkpoint")
      lefts.push_back(name);
  ASSERT_EQ(lefts.size(), 6u);
  for (const std::string &left : lefts) {
    SCOPED_TRACE(left);
    TemporaryFolder folder;
    fs::copy(golden, folder.path());
    GoldenTraining training(nullptr);
    CheckpointManagerOptions options;
    options.directory = folder.path();
    {
      CheckpointManager manager(training.checkpoint(), options);
      ASSERT_TRUE(restore(manager));
      ASSERT_TRUE(manager.save({.number = 1}).ok());
    }
    for (const std::string &name : lefts)
      if (!name.empty() && (left.empty() || name == left))
        fs::copy(golden / name, folder.file(name));
    CheckpointManager manager(training.checkpoint(), options);
    save(manager);
    EXPECT_EQ(filesOfFirst(folder),
              (Names{"ckpt-1.again.model.safetensors",
                     "ckpt-1.again.state.safetensors", "ckpt-1.json"}));
  }
}

} // namespace
