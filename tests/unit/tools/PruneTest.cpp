// SPDX-License-Identifier: Apache-2.0
// smp-checkpoint prune: what a manager's sweep would do, without one.
#include "SmpCheckpointFixture.h"
#include "TroubledFiles.h"
#include "smp/checkpoint/PruneFolder.h"
#include "smp/serialization/CheckpointReader.h"
#include "smp/serialization/CheckpointState.h"

using namespace smp;
using namespace smp::test;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

struct Prune : SmpCheckpoint {
  /// Checkpoints of a number, whose metrics are these, all of them kept.
  void saveRated(const Names &metrics, const std::string &name = "ckpt") {
    CheckpointManager manager(
        Checkpoint{{"number", number}},
        {.directory = folder.file("run"), .checkpointName = name});
    EXPECT_TRUE(manager.restore().ok());
    for (const std::string &metric : metrics) {
      ++number;
      ASSERT_TRUE(manager.save({.metric = std::stod(metric)}).ok());
    }
  }
  Names manifests() {
    Names names;
    for (const std::string &file : filesIn("run"))
      if (file.ends_with(".json"))
        names.push_back(file.substr(0, file.size() - 5));
    return names;
  }
  /// What a manager with the options says and does with the next save, in a
  /// copy of the folder: what stays beside that.
  Names keptByManager(CheckpointManagerOptions options, std::string &reasons) {
    TemporaryFolder other;
    fs::copy(folder.file("run"), other.file("run"));
    options.directory = other.file("run");
    CheckpointManager manager(Checkpoint{{"number", number}}, options);
    EXPECT_TRUE(restore(manager));
    for (const PlannedDeletion &each : manager.plannedDeletions())
      reasons += each.reason + "\n";
    save(manager);
    Names names;
    for (const std::string &path : manager.checkpoints())
      names.push_back(path.substr(options.directory.size() + 1));
    names.pop_back();
    return names;
  }
  /// Everything in the folder, with its bytes. A lock ends when its process
  /// closes the file.
  std::map<std::string, std::string> contents() {
    std::map<std::string, std::string> files;
    for (const std::string &file : filesIn("run"))
      files[file] = file.ends_with(".lock") ? "" : folder.read("run/" + file);
    return files;
  }

  int64_t number = 0;
};

TEST_F(Prune, EachIsToldWithItsReason) {
  saveRated({"5", "1", "4", "3", "2"});
  saveRated({"9"}, "best");
  folder.write("run/ckpt-1.pin", "");
  folder.write("run/ckpt-9.model.safetensors", "mine");
  const auto before = contents();
  const std::string told =
      "name\n"
      "best-1  stays             it is of another name\n"
      "ckpt-1  stays             it is pinned\n"
      "ckpt-2  stays             it is one of the best 1\n"
      "ckpt-3  would be deleted  it is older than the newest 2\n"
      "ckpt-4  stays             it is one of the newest 2\n"
      "ckpt-5  stays             it is the latest\n"
      "1 of 6 checkpoints would be deleted; nothing was changed\n";
  const std::string arguments = "prune run --max-to-keep 2 --keep-best 1";
  ASSERT_EQ(run(arguments + " --dry-run"), 0) << err;
  EXPECT_EQ(out, told);
  EXPECT_TRUE(contents() == before);
  ASSERT_EQ(run(arguments), 0) << err;
  EXPECT_NE(out.find("ckpt-3  deleted  it is older than the newest 2\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("\n1 of 6 checkpoints deleted\n"), std::string::npos);
  EXPECT_EQ(manifests(),
            (Names{"best-1", "ckpt-1", "ckpt-2", "ckpt-4", "ckpt-5"}));
  auto after = before;
  for (const char *gone : {"ckpt-3.json", "ckpt-3.state.safetensors"})
    after.erase(gone);
  after["checkpoint"] = folder.read("run/checkpoint");
  EXPECT_TRUE(contents() == after);
  const auto state = parseCheckpointState(after["checkpoint"]);
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(state->latest, "best-1"); // The last save of any name.
  EXPECT_EQ(state->all,
            (Names{"best-1", "ckpt-1", "ckpt-2", "ckpt-4", "ckpt-5"}));
}

/// What stays with the latest as the newest of N is what stays with the next
/// one as the newest of N + 1.
TEST_F(Prune, TheRulesAreThoseOfAManager) {
  saveRated({"5", "1", "4", "3", "2", "7"});
  auto state = parseCheckpointState(folder.read("run/checkpoint"));
  ASSERT_TRUE(state.ok());
  state->lastPreserved = 1.7e9;
  for (size_t i = 0; i < state->timestamps.size(); ++i)
    state->timestamps[i] = 1.7e9 + 1800 * double(i + 1);
  const std::string text = formatCheckpointState(*state);
  struct {
    CheckpointManagerOptions options;
    std::string arguments;
  } cases[] = {
      {{.maxToKeep = 2}, "1"},
      {{.maxToKeep = 3}, "2"},
      {{.maxToKeep = 9}, "8"},
      {{.maxToKeep = 2, .keepEveryHours = 1}, "1 --keep-every-hours 1"},
      {{.maxToKeep = 2, .keepEveryHours = 0.75, .keepBest = KeepBest{2}},
       "1 --keep-every-hours 0.75 --keep-best 2"},
      {{.maxToKeep = 3, .keepBest = KeepBest{2, KeepBest::Better::Larger}},
       "2 --keep-best 2 --better larger"}};
  for (const auto &[options, arguments] : cases) {
    TemporaryFolder kept;
    fs::copy(folder.file("run"), kept.file("run"));
    folder.write("run/checkpoint", text);
    std::string reasons;
    const Names stay = keptByManager(options, reasons);
    ASSERT_EQ(run("prune run --max-to-keep " + arguments), 0) << err;
    auto pruned = parseCheckpointState(folder.read("run/checkpoint"));
    ASSERT_TRUE(pruned.ok());
    EXPECT_EQ(pruned->all, stay) << arguments;
    fs::remove_all(folder.file("run"));
    fs::copy(kept.file("run"), folder.file("run"));
  }
}

TEST_F(Prune, WhatWasKilledIsRemovedAndTold) {
  saveRated({"1", "2"});
  for (const std::string name : {"ckpt-1.json", "ckpt-1.state.safetensors"})
    folder.write("kept-" + name, folder.read("run/" + name));
  ASSERT_EQ(run("prune run --max-to-keep 1 --json"), 0) << err;
  EXPECT_NE(out.find("\"path\": \"run/ckpt-1\",\n      \"deleted\": true,\n"
                     "      \"reason\": \"it is older than the newest 1\""),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("\"leftovers\": []"), std::string::npos) << out;
  // A deletion that was killed had set the manifest aside.
  folder.write("run/ckpt-1.json.deleted", folder.read("kept-ckpt-1.json"));
  folder.write("run/ckpt-1.state.safetensors",
               folder.read("kept-ckpt-1.state.safetensors"));
  folder.write("run/ckpt-3.json.tmp-1-2", "");
  folder.write("run/ckpt-8.json.deleted", "mine");
  ASSERT_EQ(run("prune run --json --dry-run"), 0) << err;
  EXPECT_EQ(filesIn("run").size(), 7u);
  EXPECT_NE(out.find("\"dryRun\": true"), std::string::npos) << out;
  const std::string left = "\"leftovers\": [\n"
                           "    \"run/ckpt-1.json.deleted\",\n"
                           "    \"run/ckpt-1.state.safetensors\",\n"
                           "    \"run/ckpt-3.json.tmp-1-2\"\n  ]";
  EXPECT_NE(out.find(left), std::string::npos) << out;
  ASSERT_EQ(run("prune run --json"), 0) << err;
  EXPECT_NE(out.find(left), std::string::npos) << out;
  EXPECT_EQ(filesIn("run"),
            (Names{"checkpoint", "ckpt-2.json", "ckpt-2.state.safetensors",
                   "ckpt-8.json.deleted"}));
  ASSERT_EQ(run("prune run"), 0) << err; // Nothing is left to do.
  EXPECT_NE(out.find("0 of 1 checkpoints deleted\n"), std::string::npos);
}

TEST_F(Prune, WhatIsPinnedComesBackFromAKilledDeletion) {
  saveRated({"1", "2", "3"});
  fs::rename(folder.file("run/ckpt-1.json"),
             folder.file("run/ckpt-1.json.deleted"));
  folder.write("run/ckpt-1.pin", "");
  const auto before = contents();
  ASSERT_EQ(run("prune run --max-to-keep 1 --dry-run"), 0) << err;
  EXPECT_TRUE(contents() == before);
  ASSERT_EQ(run("prune run --max-to-keep 1"), 0) << err;
  EXPECT_NE(out.find("ckpt-1  stays    it is pinned\n"), std::string::npos)
      << out;
  EXPECT_EQ(manifests(), (Names{"ckpt-1", "ckpt-3"}));
}

TEST_F(Prune, ALiveManagerIsRefused) {
  Trained session;
  auto manager = managerOf(Checkpoint(session), "run");
  for (int i = 0; i < 3; ++i)
    save(manager);
  const auto before = contents();
  for (const char *how : {"", " --dry-run"})
    expectError(std::string("prune run --max-to-keep 1") + how,
                "another manager saves 'ckpt-N' in 'run': process " +
                    std::to_string(getpid()));
  EXPECT_TRUE(contents() == before);
}

TEST_F(Prune, WhatIsWrongIsSaidAndNothingIsDeleted) {
  expectError("prune nowhere", "cannot list 'nowhere': No such file");
  expectError("prune run", "there is no checkpoint 'ckpt-N' in 'run'; give the "
                           "name that they have there");
  saveRated({"1", "2", "3"});
  const auto before = contents();
  expectError("prune run --name best --max-to-keep 1",
              "there is no checkpoint 'best-N' in 'run'; give the name that "
              "they have there, as 'ckpt-1' has another one");
  expectError("prune run --name a/b", "checkpointName is 'a/b'");
  for (const char *wrong :
       {"--max-to-keep 0", "--max-to-keep -1", "--max-to-keep x",
        "--max-to-keep 1.5", "--max-to-keep 1 --keep-every-hours 0",
        "--keep-every-hours 1", "--max-to-keep 1 --keep-every-hours nan",
        "--max-to-keep 1 --keep-every-hours inf", "--keep-best 1",
        "--max-to-keep 1 --keep-best 0", "--max-to-keep 1 --better larger",
        "--max-to-keep 1 --keep-best 1 --better best", "run"})
    EXPECT_EQ(run(std::string("prune run ") + wrong), 1) << wrong;
  EXPECT_TRUE(contents() == before);
  std::string manifest = before.at("ckpt-3.json");
  manifest[20] = char(manifest[20] ^ 1);
  folder.write("run/ckpt-3.json", manifest);
  run("prune run --max-to-keep 0");
  EXPECT_EQ(err.find("--max-to-keep: '0' is not a number above 0\n"), 0u)
      << err;
  expectError("prune run --max-to-keep 1",
              "nothing is deleted, because the latest checkpoint is damaged: ");
  folder.remove("run/ckpt-3.state.safetensors"); // What is left is the latest.
  folder.write("run/ckpt-3.json", before.at("ckpt-3.json"));
  ASSERT_EQ(run("prune run --max-to-keep 1"), 0) << err;
  EXPECT_NE(err.find("the latest checkpoint that is complete is 'ckpt-2'"),
            std::string::npos)
      << err;
  EXPECT_EQ(folder.read("run/ckpt-2.json"), before.at("ckpt-2.json"));
}

TEST_F(Prune, WhatTheFileCheckpointDoesNotListStays) {
  saveRated({"1", "2", "3"});
  for (const std::string text : {"", "mine"}) {
    if (text.empty())
      folder.remove("run/checkpoint");
    else
      folder.write("run/checkpoint", text);
    const auto before = contents();
    ASSERT_EQ(run("prune run --max-to-keep 1"), 0) << err;
    EXPECT_NE(out.find("ckpt-1  stays  the file 'checkpoint' does not list "),
              std::string::npos)
        << out;
    EXPECT_TRUE(contents() == before);
  }
}

/// Whatever operation fails, or kills it, what is there is complete, what is to
/// stay stays, and the next call ends what this one began.
TEST_F(Prune, AtEveryOperationThatFails) {
  saveRated({"1", "2", "3", "4"});
  folder.write("run/ckpt-1.pin", "");
  int failed = 0;
  for (const bool isForEver : {false, true})
    for (int operation = 0;; ++operation) {
      SCOPED_TRACE(operation);
      TemporaryFolder other;
      fs::copy(folder.file("run"), other.file("run"));
      TroubledFiles files(FileSystem::disk());
      files.begin(operation, isForEver ? Failing::Changes : Failing::One);
      CheckpointManagerOptions options;
      options.directory = other.file("run");
      options.maxToKeep = 1;
      const auto pruned = pruneFolder(options, /*isDryRun=*/false, files);
      if (!files.wereTroubled())
        break;
      failed += !pruned.ok();
      for (const auto &file : fs::directory_iterator(other.file("run")))
        if (file.path().extension() == ".json") {
          const auto reader = CheckpointReader::open(file.path().parent_path() /
                                                         file.path().stem(),
                                                     FileSystem::disk());
          EXPECT_TRUE(reader.ok()) << reader.status().message();
        }
      files.end();
      const auto again = pruneFolder(options, /*isDryRun=*/false);
      ASSERT_TRUE(again.ok()) << again.status().message();
      Names left;
      for (const auto &file : fs::directory_iterator(other.file("run")))
        left.push_back(file.path().filename());
      std::sort(left.begin(), left.end());
      EXPECT_EQ(left, (Names{"checkpoint", "ckpt-1.json", "ckpt-1.pin",
                             "ckpt-1.state.safetensors", "ckpt-4.json",
                             "ckpt-4.state.safetensors"}));
    }
  EXPECT_GT(failed, 10);
}

} // namespace
