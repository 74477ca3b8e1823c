// SPDX-License-Identifier: Apache-2.0
// Numbers, the file `checkpoint`, and what is deleted when.
#include "ManagedNumber.h"

using namespace smp;
using namespace smp::test;

namespace {

class CheckpointFolderTest : public ManagedNumber {
protected:
  CheckpointManager open(std::optional<int64_t> maxToKeep = {},
                         const std::string &name = "ckpt") {
    options.maxToKeep = maxToKeep;
    options.checkpointName = name;
    return ManagedNumber::open();
  }
  /// The numbers of the checkpoints that have files, of any kind.
  Names filesLeft() {
    Names names;
    for (const std::string &name : folder.names())
      if (name.starts_with("ckpt-"))
        names.push_back(name.substr(0, name.find('.')));
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }
};

TEST_F(CheckpointFolderTest, NumbersBeginAtOne) {
  CheckpointManager manager = open();
  for (const char *name : {"ckpt-1", "ckpt-2", "ckpt-3"})
    EXPECT_EQ(saveNext(manager), name);
  EXPECT_EQ(manager.latest(), folder.file("ckpt-3"));
  EXPECT_EQ(manager.checkpoints(),
            (Names{folder.file("ckpt-1"), folder.file("ckpt-2"),
                   folder.file("ckpt-3")}));
  EXPECT_EQ(filesLeft(), (Names{"ckpt-1", "ckpt-2", "ckpt-3"}));
  EXPECT_EQ(restored(manager), 3);
}

TEST_F(CheckpointFolderTest, LinksAndModesAreKept) {
  const std::string text = folder.file("checkpoint"), far = folder.file("far");
  std::filesystem::create_symlink("far", text);
  CheckpointManager manager = open();
  saveNext(manager);
  std::filesystem::permissions(far, std::filesystem::perms(0640));
  saveNext(manager);
  EXPECT_TRUE(std::filesystem::is_symlink(text));
  EXPECT_EQ(std::filesystem::status(far).permissions(),
            std::filesystem::perms(0640));
  EXPECT_EQ(state().latest, "ckpt-2");
}

TEST_F(CheckpointFolderTest, TheTextFileNamesTheLatest) {
  const double before = double(time(nullptr));
  CheckpointManager manager = open();
  saveNext(manager);
  saveNext(manager);
  const CheckpointState read = state();
  EXPECT_EQ(read.latest, "ckpt-2");
  EXPECT_EQ(read.all, (Names{"ckpt-1", "ckpt-2"}));
  ASSERT_EQ(read.timestamps.size(), 2u);
  EXPECT_LE(before, read.timestamps[0]);
  EXPECT_LE(read.timestamps[0], read.timestamps[1]);
  EXPECT_LT(read.lastPreserved, read.timestamps[0]);
  EXPECT_EQ(folder.read("checkpoint").substr(0, 32),
            "model_checkpoint_path: \"ckpt-2\"\n");
}

TEST_F(CheckpointFolderTest, OnlySoManyAreKept) {
  CheckpointManager manager = open(/*maxToKeep=*/2);
  for (int i = 0; i < 5; ++i)
    saveNext(manager);
  EXPECT_EQ(filesLeft(), (Names{"ckpt-4", "ckpt-5"}));
  EXPECT_EQ(state().all, (Names{"ckpt-4", "ckpt-5"}));
  EXPECT_EQ(state().timestamps.size(), 2u);
}

TEST_F(CheckpointFolderTest, MaxToKeepIsPositive) {
  for (int64_t wrong : {0, -3}) {
    CheckpointManager manager = open(wrong);
    EXPECT_EQ(manager.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(manager.save().status().message(),
              "Expected a positive integer or `None` for `max_to_keep`, got " +
                  std::to_string(wrong) + ".");
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(CheckpointFolderTest, NamesArePlain) {
  for (const char *wrong : {"", "a/b", "..", "a\nb"}) {
    CheckpointManager manager = open({}, wrong);
    EXPECT_NE(manager.status().message().find("checkpointName is '"),
              std::string::npos);
  }
  CheckpointManager manager(Checkpoint{{"number", number}}, {.directory = ""});
  EXPECT_EQ(manager.status().message(),
            "a CheckpointManager needs a directory");
}

TEST_F(CheckpointFolderTest, ReopeningGoesOn) {
  {
    CheckpointManager manager = open();
    for (int i = 0; i < 3; ++i)
      saveNext(manager);
  }
  CheckpointManager manager = open(/*maxToKeep=*/2);
  EXPECT_EQ(manager.latest(), folder.file("ckpt-3"));
  EXPECT_EQ(restored(manager), 3);
  EXPECT_EQ(filesLeft(), (Names{"ckpt-1", "ckpt-2", "ckpt-3"}));
  EXPECT_EQ(saveNext(manager), "ckpt-4");
  EXPECT_EQ(filesLeft(), (Names{"ckpt-3", "ckpt-4"}));
}

TEST_F(CheckpointFolderTest, ANameOfItsOwn) {
  CheckpointManager manager = open({}, "best model");
  EXPECT_EQ(saveNext(manager), "best model-1");
  CheckpointManager other = open({}, "ckpt");
  EXPECT_EQ(saveNext(other), "ckpt-1");
  EXPECT_EQ(state().all, (Names{"best model-1", "ckpt-1"}));
  EXPECT_EQ(restored(other), 2);
}

TEST_F(CheckpointFolderTest, WhatIsNotLaterThanThePreservedStays) {
  {
    CheckpointManager manager = open();
    for (int i = 0; i < 3; ++i)
      saveNext(manager);
  }
  CheckpointState edited = state();
  edited.timestamps = {5, 6, 7};
  edited.lastPreserved = 6;
  folder.write("checkpoint", formatCheckpointState(edited));
  CheckpointManager manager = open(/*maxToKeep=*/1);
  EXPECT_EQ(restored(manager), 3);
  saveNext(manager);
  EXPECT_EQ(filesLeft(), (Names{"ckpt-1", "ckpt-2", "ckpt-4"}));
  EXPECT_EQ(state().all, Names{"ckpt-4"});
  EXPECT_EQ(state().lastPreserved, 6);
}

TEST_F(CheckpointFolderTest, WithoutARestoreWhatOthersWroteStays) {
  {
    CheckpointManager before = open();
    saveNext(before);
    saveNext(before);
  }
  {
    CheckpointManager manager = open(/*maxToKeep=*/1);
    saveNext(manager);
    saveNext(manager);
    EXPECT_EQ(filesLeft(), (Names{"ckpt-1", "ckpt-2", "ckpt-4"}));
    EXPECT_EQ(state().all, (Names{"ckpt-1", "ckpt-2", "ckpt-4"}));
  }
  CheckpointManager after = open(/*maxToKeep=*/1);
  EXPECT_EQ(restored(after), 4);
  saveNext(after);
  EXPECT_EQ(filesLeft(), Names{"ckpt-5"});
}

TEST_F(CheckpointFolderTest, WithoutTimesNothingIsDeleted) {
  {
    CheckpointManager manager = open();
    saveNext(manager);
  }
  folder.write("checkpoint", "model_checkpoint_path: \"ckpt-1\"\n"
                             "all_model_checkpoint_paths: \"ckpt-1\"\n");
  CheckpointManager manager = open(/*maxToKeep=*/1);
  EXPECT_EQ(restored(manager), 1);
  EXPECT_EQ(saveNext(manager), "ckpt-2");
  EXPECT_EQ(filesLeft(), (Names{"ckpt-1", "ckpt-2"}));
}

TEST_F(CheckpointFolderTest, AClockThatWentBackDeletesNothing) {
  {
    CheckpointManager manager = open();
    saveNext(manager);
  }
  CheckpointState edited = state();
  const double future = edited.timestamps[0] + 1e6;
  edited.timestamps = {future + 1};
  edited.lastPreserved = future;
  folder.write("checkpoint", formatCheckpointState(edited));
  CheckpointManager manager = open(/*maxToKeep=*/1);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0], "the clock is behind that of the checkpoints in '" +
                        folder.path() +
                        "': those that are there now will not be deleted");
  saveNext(manager);
  EXPECT_EQ(filesLeft(), (Names{"ckpt-1", "ckpt-2"}));
  EXPECT_LT(state().lastPreserved, future);
}

TEST_F(CheckpointFolderTest, NoNumberIsUsedTwice) {
  {
    CheckpointManager manager = open();
    for (int i = 0; i < 3; ++i)
      saveNext(manager);
  }
  CheckpointState edited = state();
  edited.latest = "ckpt-2"; // By hand: back to an earlier one.
  folder.write("checkpoint", formatCheckpointState(edited));
  {
    CheckpointManager back = open();
    EXPECT_EQ(restored(back), 2);
    EXPECT_EQ(saveNext(back), "ckpt-4");
  }
  folder.remove("checkpoint");
  CheckpointManager anew = open(/*maxToKeep=*/1);
  EXPECT_EQ(restored(anew), 3);
  EXPECT_EQ(saveNext(anew), "ckpt-5");
  EXPECT_EQ(filesLeft(),
            (Names{"ckpt-1", "ckpt-2", "ckpt-3", "ckpt-4", "ckpt-5"}));
}

TEST_F(CheckpointFolderTest, LargeNumbersAndOthersFilesDoNotHarm) {
  for (const char *name :
       {"ckpt-99999999999999999999.json", "ckpt-9223372036854775807.json",
        "ckpt-007.json", "ckpt-.json", "ckpt-1.5.json", "ckpt--4.json",
        "notes.json", "ckpt-3.model.safetensors.bak"})
    folder.write(name, "mine");
  {
    CheckpointManager manager = open(/*maxToKeep=*/1);
    EXPECT_EQ(saveNext(manager), "ckpt-1");
    EXPECT_EQ(saveNext(manager), "ckpt-2");
  }
  EXPECT_EQ(folder.names().size(), 8u + 3u);
  folder.write("ckpt-9000000000000000000.json", "mine");
  CheckpointManager late = open();
  EXPECT_EQ(saveNext(late), "ckpt-9000000000000000001");
}

TEST_F(CheckpointFolderTest, ANameThatIsListedTwiceIsOne) {
  {
    CheckpointManager manager = open();
    saveNext(manager);
    saveNext(manager);
  }
  CheckpointState edited = state();
  edited.all = {"ckpt-2", "ckpt-1", "ckpt-2"};
  edited.timestamps.push_back(edited.timestamps[0]);
  folder.write("checkpoint", formatCheckpointState(edited));
  CheckpointManager manager = open(/*maxToKeep=*/3);
  saveNext(manager);
  EXPECT_EQ(filesLeft(), (Names{"ckpt-1", "ckpt-2", "ckpt-3"}));
}

TEST_F(CheckpointFolderTest, ATextFileThatIsWrongIsNamed) {
  const std::string wrong = "model_checkpoint_path: \"../x\"\n";
  folder.write("checkpoint", wrong);
  CheckpointManager manager = open();
  EXPECT_EQ(manager.restore().status().message(),
            "Invalid checkpoint state loaded from '" + folder.path() +
                "', file 'checkpoint': line 1: '../x' names nothing in this "
                "folder; a checkpoint is named without '/', as in \"ckpt-1\"; "
                "there is no complete checkpoint: remove '" +
                folder.file("checkpoint") +
                "' and what is left of others to begin anew");
  EXPECT_EQ(folder.names(), Names{"checkpoint"});
  EXPECT_EQ(saveNext(manager), "ckpt-1");
  EXPECT_EQ(state().latest, "ckpt-1");
  EXPECT_EQ(folder.read("checkpoint.garbled"), wrong);
}

} // namespace
