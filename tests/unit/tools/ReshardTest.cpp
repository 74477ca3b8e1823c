// SPDX-License-Identifier: Apache-2.0
// smp-checkpoint reshard, and what writes checkpoints for it.
#include "Reshard.h"
#include "Contents.h"
#include "SmpCheckpointFixture.h"
#include "Terminal.h"
#include "TroubledFiles.h"
#include "WriteCheckpoint.h"
#include "smp/serialization/CheckpointReader.h"

using namespace smp;
using namespace smp::test;

namespace {

using Items = std::map<std::string, std::vector<std::byte>>;

/// What a checkpoint says, but for how it is divided, and its values.
std::pair<CheckpointManifest, Items> contentsOf(const std::string &prefix) {
  auto reader = CheckpointReader::open(prefix, FileSystem::disk());
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  if (!reader.ok())
    return {};
  EXPECT_TRUE(reader->verify().ok());
  CheckpointManifest manifest = reader->manifest();
  Items items;
  for (CheckpointManifest::Item &item : manifest.items) {
    const auto bytes = reader->read(item);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    items[item.key].assign(bytes->begin(), bytes->end());
    item.slices.clear();
  }
  manifest.files.clear();
  manifest.sharding.clear();
  return {manifest, items};
}

struct Reshard : SmpCheckpoint {
  /// Of two parameters, one of them cut by a layout, and a value.
  void writeLaidOut(const std::string &prefix) {
    CheckpointToWrite written;
    written.manifest.time = 12.5;
    written.manifest.ranks = 3;
    written.manifest.roots = {
        {"model", 77, "x86-64-v3", {5, 2, 0, 1}, 3, {"0/cpu:0", "1/cpu:0"}}};
    add(written,
        {"model/w",
         {DType::F32, {6, 5}},
         {},
         "sharding_specs:x,unsharded mesh:x=2"},
        "w");
    add(written, {"model/model/b", {DType::BF16, {3}}, {}}, "model/b");
    add(written, {"model/none", {DType::F32, {0, 4}}, {}}, "none");
    add(written, {"epoch", {DType::I64, {}}, {}}, "epoch");
    Watch watch;
    const Status status = writeCheckpoint(
        std::move(written), MaxShardSizePolicy(44), folder.file(prefix), watch);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  static void add(CheckpointToWrite &written, CheckpointManifest::Item item,
                  std::string saveSpec) {
    written.tensors.push_back(
        {item.key, item.type, [](const TensorSlice &box, auto bytes) {
           for (size_t i = 0; i < bytes.size(); ++i)
             bytes[i] = std::byte(
                 i + 31 * size_t(box.offset.empty() ? 7 : box.offset[0]));
           return Status();
         }});
    written.manifest.items.push_back(std::move(item));
    written.saveSpecs.push_back(std::move(saveSpec));
  }
};

/// A signal comes when the file of this number is made.
class SignalledFiles : public TroubledFiles {
public:
  explicit SignalledFiles(int file)
      : TroubledFiles(FileSystem::disk()), left(file) {}
  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    if (left-- == 0)
      std::raise(SIGTERM);
    return TroubledFiles::make(path, old, file);
  }
  bool wasRaised() const { return left < 0; }

private:
  int left;
};

} // namespace

TEST_F(Reshard, EverythingStaysButTheFiles) {
  writeLaidOut("run/ckpt-1");
  EXPECT_GT(filesIn("run").size(), 5u);
  const auto before = contentsOf(folder.file("run/ckpt-1"));
  EXPECT_EQ(before.first.items[0].layout,
            "sharding_specs:x,unsharded mesh:x=2");
  ASSERT_EQ(run("reshard run/ckpt-1 tf/ckpt-1 --one-file"), 0) << err;
  EXPECT_EQ(out, "wrote 'tf/ckpt-1', a checkpoint of smp, 4 tensors: 1 of "
                 "epoch, 3 of model\n");
  EXPECT_EQ(filesIn("tf"),
            (std::vector<std::string>{"checkpoint", "ckpt-1.json",
                                      "ckpt-1.model.safetensors",
                                      "ckpt-1.state.safetensors"}));
  EXPECT_EQ(tensorsIn("tf/ckpt-1.model.safetensors"),
            (std::vector<std::string>{"model/b", "none", "w"}));
  EXPECT_EQ(contentsOf(folder.file("tf/ckpt-1")), before);
  for (const std::string size : {"8", "20", "64", "1000"}) {
    ASSERT_EQ(run("reshard tf/ckpt-1 back/ckpt-" + size +
                  " --max-shard-bytes " + size),
              0)
        << err;
    EXPECT_EQ(contentsOf(folder.file("back/ckpt-" + size)), before) << size;
    EXPECT_EQ(run("diff tf/ckpt-1 back/ckpt-" + size), 0) << out << err;
  }
  EXPECT_TRUE(std::filesystem::exists(
      folder.file("back/ckpt-20.model.safetensors.index.json")));
}

TEST_F(Reshard, EveryVersionAndWhatRanksWroteIsRead) {
  for (const std::string version : {"1", "2"}) {
    const std::string from =
        SMP_TEST_SOURCE_DIR "/golden/checkpoint-" + version + "/ckpt-1";
    ASSERT_EQ(run("reshard " + from + " back/" + version + " --one-file"), 0)
        << err;
    EXPECT_EQ(contentsOf(folder.file("back/" + version)), contentsOf(from));
  }
}

TEST_F(Reshard, AManagerGoesOnWithIt) {
  Trained first;
  auto saving = managerOf(Checkpoint(first), "run");
  first.step();
  save(saving);
  ASSERT_EQ(run("reshard run/ckpt-1 back/ckpt-1 --max-shard-bytes 32 --json"),
            0)
      << err;
  EXPECT_NE(out.find("\"latest\": true"), std::string::npos) << out;
  Trained second;
  auto restoring = managerOf(Checkpoint(second), "back");
  EXPECT_TRUE(restore(restoring));
  EXPECT_EQ(savedOf(second.values()), savedOf(first.values()));
}

TEST_F(Reshard, WhatIsThereStays) {
  Trained session;
  auto manager = managerOf(Checkpoint(session), "run");
  save(manager);
  const auto before = contentsOf(folder.file("run/ckpt-1"));
  expectError("reshard run/ckpt-1 run/ckpt-7 --one-file",
              "which has locked 'run/ckpt.lock'; end it");
  expectError("reshard run/ckpt-1 run/ckpt-1 --one-file",
              "which has locked 'run/ckpt.lock'; end it");
  ASSERT_EQ(run("reshard run/ckpt-1 run/small --max-shard-bytes 32"), 0) << err;
  EXPECT_NE(out.find("'run/checkpoint' stays as it is"), std::string::npos);
  expectError("reshard run/ckpt-1 run/small --one-file",
              "'run/small.json' is there already");
  folder.remove("run/small.json");
  expectError("reshard run/ckpt-1 run/small --one-file",
              "safetensors' is there already");
  EXPECT_EQ(contentsOf(folder.file("run/ckpt-1")), before);
}

TEST_F(Reshard, WhatIsWrongIsSaidAndNothingIsWritten) {
  Trained session;
  {
    auto manager = managerOf(Checkpoint(session), "run");
    save(manager);
  }
  expectError("reshard run/ckpt-9 tf/x --one-file", "there is no checkpoint");
  expectError("reshard " + golden + "objects tf/x --one-file",
              "is a bundle of TensorFlow; smp-checkpoint convert");
  expectError("reshard run/ckpt-1 tf/ --one-file",
              "is no name of a checkpoint");
  expectError("reshard run/ckpt-1 run/ckpt-1.json/x --one-file",
              "cannot make the folder 'run/ckpt-1.json': Not a directory");
  expectError("reshard run/ckpt-1 tf/x --max-shard-bytes 1",
              "a shard has at most 1");
  for (const char *wrong :
       {"", "--one-file --max-shard-bytes 4", "--max-shard-bytes 0",
        "--max-shard-bytes -4", "--max-shard-bytes x", "--max-shard-bytes 1.5"})
    EXPECT_EQ(run(std::string("reshard run/ckpt-1 tf/x ") + wrong), 1) << wrong;
  std::string data = folder.read("run/ckpt-1.state.safetensors");
  data.back() = char(data.back() ^ 1);
  folder.write("run/ckpt-1.state.safetensors", data);
  expectError("reshard run/ckpt-1 tf/x --one-file",
              "run/ckpt-1.state.safetensors");
  EXPECT_TRUE(filesIn("tf").empty());
}

/// Whatever operation fails, a checkpoint that is there is complete.
TEST_F(Reshard, IsCompleteOrNotThere) {
  writeLaidOut("run/ckpt-1");
  const auto before = contentsOf(folder.file("run/ckpt-1"));
  int failed = 0;
  for (const bool isForEver : {false, true})
    for (int operation = 0;; ++operation) {
      TemporaryFolder here;
      TroubledFiles files(FileSystem::disk());
      files.begin(operation, isForEver ? Failing::Changes : Failing::One);
      Watch watch;
      const auto written =
          reshardCheckpoint(folder.file("run/ckpt-1"), here.file("ckpt-2"),
                            MaxShardSizePolicy(64), watch, files);
      if (!files.wereTroubled())
        break;
      failed += !written.ok();
      if (std::filesystem::exists(here.file("ckpt-2.json")))
        EXPECT_EQ(contentsOf(here.file("ckpt-2")), before) << operation;
      else
        EXPECT_FALSE(written.ok()) << operation;
      if (!isForEver && !std::filesystem::exists(here.file("ckpt-2.json")))
        EXPECT_EQ(here.names(), std::vector<std::string>()) << operation;
    }
  EXPECT_GT(failed, 20);
}

TEST_F(Reshard, InterruptedItLeavesNothing) {
  writeLaidOut("run/ckpt-1");
  const auto before = contentsOf(folder.file("run/ckpt-1"));
  int cancelled = 0;
  for (int file = 0;; ++file) {
    const Interrupts interrupts;
    TemporaryFolder here;
    SignalledFiles files(file);
    Watch watch;
    const auto written =
        reshardCheckpoint(folder.file("run/ckpt-1"), here.file("ckpt-2"),
                          MaxShardSizePolicy(64), watch, files);
    if (!files.wasRaised())
      break;
    EXPECT_EQ(Interrupts::received(), SIGTERM);
    if (written.ok()) { // It came when the last bytes of tensors were written.
      EXPECT_EQ(contentsOf(here.file("ckpt-2")), before);
      continue;
    }
    EXPECT_EQ(written.status().code(), StatusCode::Cancelled);
    EXPECT_EQ(here.names(), std::vector<std::string>());
    ++cancelled;
  }
  EXPECT_GE(cancelled, 3);
}

TEST_F(Reshard, ABarTellsHowFarItIs) {
  writeLaidOut("run/ckpt-1");
  const auto text = drawnOnTerminal([&](std::FILE *file) {
    Progress progress(file, std::chrono::milliseconds(0));
    Watch watch(&progress);
    EXPECT_TRUE(reshardCheckpoint(folder.file("run/ckpt-1"),
                                  folder.file("tf/ckpt-1"), ShardByTaskPolicy(),
                                  watch)
                    .ok());
    EXPECT_TRUE(verifyCheckpoint(folder.file("tf/ckpt-1"), watch).ok());
  });
  if (!text.ok())
    GTEST_SKIP() << "needs a pseudo terminal: " << text.status().message();
  EXPECT_NE(text->find("100% epoch"), std::string::npos) << *text;
  EXPECT_NE(text->find("100% " + folder.file("tf/ckpt-1").substr(0, 20)),
            std::string::npos)
      << *text;
}
