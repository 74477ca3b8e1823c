// SPDX-License-Identifier: Apache-2.0
// Files that no manager wrote, by names that managers use: they stay as they
// are.
#include "CheckpointHelpers.h"
#include "smp/serialization/Safetensors.h"

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

/// Managers of a number: each save adds 1.
class ForeignFilesTest : public testing::Test {
protected:
  CheckpointManager open(std::optional<int64_t> maxToKeep = {}) {
    return CheckpointManager(Checkpoint{{"number", number}},
                             {.directory = folder.path(),
                              .maxToKeep = maxToKeep,
                              .log = [this](LogLevel, std::string_view line) {
                                log.emplace_back(line);
                              }});
  }
  std::string saveNext(CheckpointManager &manager) {
    ++number;
    return save(manager).substr(folder.path().size() + 1);
  }
  void expectRestores(int64_t expected) {
    CheckpointManager manager = open();
    number = -1;
    EXPECT_TRUE(restore(manager));
    EXPECT_EQ(number, expected);
  }

  TemporaryFolder folder;
  int64_t number = 0;
  Names log;
};

/// What others may write: no tensors, tensors, those of another checkpoint.
Names foreignTexts(const TemporaryFolder &folder) {
  const std::vector<float> values(16, 3);
  const auto bytes = serializeSafetensors(
      std::vector{SafetensorsTensor{"number", kTensor,
                                    std::as_bytes(std::span(values))}},
      {{"format", "pt"}});
  return {
      "mine", "",
      std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()),
      folder.read("ckpt-1.state.safetensors")};
}

TEST_F(ForeignFilesTest, ByTheNameOfTheNextCheckpoint) {
  CheckpointManager manager = open(/*maxToKeep=*/2);
  saveNext(manager);
  int64_t last = 1; // Number in the folder.
  std::map<std::string, std::string> foreign;
  for (const std::string &text : foreignTexts(folder))
    for (const char *suffix : {".state.safetensors", ".model.safetensors",
                               ".model-00001-of-00002.safetensors",
                               ".model.safetensors.index.json", ".json"}) {
      // Between two saves, and before a manager's first.
      for (bool isNew : {false, true}) {
        const int64_t taken = ++last;
        const std::string file = "ckpt-" + std::to_string(taken) + suffix;
        folder.write(file, foreign[file] = text);
        log.clear();
        if (isNew)
          manager = open(2);
        EXPECT_EQ(saveNext(manager), "ckpt-" + std::to_string(++last)) << file;
        // A manifest that was there when it was opened has just a number.
        if (!isNew || !file.ends_with(".json") || file.ends_with("index.json"))
          EXPECT_EQ(log,
                    Names{"'" + folder.file(file) +
                          "' is in the way of 'ckpt-" + std::to_string(taken) +
                          "': it stays, and that number is left out"});
      }
    }
  expectRestores(number);
  for (const auto &[file, text] : foreign)
    EXPECT_EQ(folder.read(file), text) << file;
}

TEST_F(ForeignFilesTest, ByTheNameOfANumberThatIsAskedFor) {
  CheckpointManager manager = open();
  saveNext(manager);
  // One that is not there, and one that is to be replaced.
  for (const auto &[taken, file] :
       {std::pair{7, "ckpt-7.state.safetensors"},
        std::pair{1, "ckpt-1.again.state.safetensors"}}) {
    folder.write(file, "mine");
    ++number;
    EXPECT_EQ(manager.save({.number = taken}).status().message(),
              "'" + folder.file(file) + "' is in the way of 'ckpt-" +
                  std::to_string(taken) +
                  "', and no manager wrote it; move it away, or give another "
                  "number");
    EXPECT_EQ(folder.read(file), "mine");
    expectRestores(1);
  }
  folder.remove("ckpt-1.again.state.safetensors");
  number = 5;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(*manager.save({.number = 1}), folder.file("ckpt-1"));
  expectRestores(5);
}

TEST_F(ForeignFilesTest, BesideACheckpointThatIsDeleted) {
  const std::string file = "ckpt-1.model-00001-of-00009.safetensors";
  {
    CheckpointManager manager = open(1);
    saveNext(manager);
    folder.write(file, "mine");
    saveNext(manager);
  }
  EXPECT_EQ(folder.names(), (Names{"checkpoint", file, "ckpt-2.json",
                                   "ckpt-2.state.safetensors"}));
  EXPECT_EQ(folder.read(file), "mine");
}

/// What looks newer than all that is listed, and is not complete, was not
/// written by a manager that was killed.
TEST_F(ForeignFilesTest, AManifestThatIsNone) {
  {
    CheckpointManager manager = open();
    saveNext(manager);
  }
  folder.write("ckpt-7.json", "mine");
  for (int i = 0; i < 2; ++i) { // The second finds what the first has listed.
    CheckpointManager manager = open(1);
    EXPECT_TRUE(restore(manager));
    saveNext(manager);
    saveNext(manager);
    EXPECT_EQ(manager.checkpoints().size(), 1u);
  }
  EXPECT_EQ(folder.read("ckpt-7.json"), "mine");
  expectRestores(5);
}

TEST_F(ForeignFilesTest, ByNamesLikeThoseOfFilesBeingWritten) {
  const Names names{"ckpt-7.notes.tmp-1-2", "ckpt-7.json.tmp-of-mine",
                    "ckpt-7.json.tmp-1-2.bak", "checkpoint.tmp-old",
                    "checkpoint.tmp-1-2-3"};
  for (const std::string &name : names)
    folder.write(name, "mine");
  CheckpointManager manager = open();
  saveNext(manager);
  for (const std::string &name : names)
    EXPECT_EQ(folder.read(name), "mine") << name;
}

/// Of TensorFlow, which uses the same names of checkpoints.
TEST_F(ForeignFilesTest, AnotherToolsCheckpoints) {
  const std::string state = "model_checkpoint_path: \"ckpt-2\"\n"
                            "all_model_checkpoint_paths: \"ckpt-1\"\n"
                            "all_model_checkpoint_paths: \"ckpt-2\"\n"
                            "all_model_checkpoint_timestamps: 1000.5\n"
                            "all_model_checkpoint_timestamps: 2000.5\n"
                            "last_preserved_timestamp: 999.5\n";
  const Names theirs{"ckpt-1.index", "ckpt-1.data-00000-of-00001",
                     "ckpt-2.index", "ckpt-2.data-00000-of-00001"};
  for (const std::string &name : theirs)
    folder.write(name, "theirs");
  folder.write("checkpoint", state);
  {
    CheckpointManager manager = open(1);
    const auto restored = manager.restore();
    EXPECT_EQ(restored.status().code(), StatusCode::DataLoss);
    EXPECT_EQ(folder.read("checkpoint"), state);
    EXPECT_EQ(saveNext(manager), "ckpt-3");
    EXPECT_EQ(saveNext(manager), "ckpt-4");
  }
  {
    CheckpointManager manager = open(1);
    EXPECT_TRUE(restore(manager));
    EXPECT_EQ(saveNext(manager), "ckpt-5");
  }
  for (const std::string &name : theirs)
    EXPECT_EQ(folder.read(name), "theirs") << name;
}

} // namespace
