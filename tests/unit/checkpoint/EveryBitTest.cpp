// SPDX-License-Identifier: Apache-2.0
// Every single bit of the manifest and of the files that it names is flipped:
// nothing is restored, and the message names the file.
#include "GoldenTraining.h"
#include "MemoryDisk.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/CheckpointReader.h"
#include <iostream>

using namespace smp;
using namespace smp::test;

namespace {

/// A folder on a disk of its own.
class EveryBitTest : public testing::Test {
protected:
  void copy(const std::string &folder) {
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream in(entry.path(), std::ios::binary);
      disk.put(pathOf(entry.path().filename()),
               std::string(std::istreambuf_iterator<char>(in), {}));
    }
  }

  /// Of ckpt-1, whose manifest is of the version.
  void expectEveryBitMatters(uint32_t version, size_t leastFiles) {
    const std::string text = disk.text(pathOf("ckpt-1.json"));
    EXPECT_NE(text.find("\"version\": " + std::to_string(version) + ","),
              text.npos);
    const auto manifest = parseCheckpointManifest(text);
    ASSERT_TRUE(manifest.ok()) << manifest.status().message();
    EXPECT_GE(manifest->files.size(), leastFiles);
    flipAll(pathOf("ckpt-1.json"));
    for (const CheckpointManifest::File &file : manifest->files)
      flipAll(pathOf(file.name));
    expectAfter(golden.training, 0);
    EXPECT_TRUE(restore(*manager));
    std::cout << bits << " bits\n";
  }

  GoldenTraining golden{nullptr};

private:
  static std::string pathOf(const std::string &name) { return "/a/" + name; }

  void flipAll(const std::string &path) {
    const std::string good = disk.text(path);
    ASSERT_TRUE(verify().ok());
    manager.emplace(
        CheckpointsOver::open(disk, golden.checkpoint(), {.directory = "/a"}));
    for (size_t bit = 0; bit < 8 * good.size() && !HasFailure();
         ++bit, ++bits) {
      std::string bad = good;
      bad[bit / 8] = char(bad[bit / 8] ^ 1 << bit % 8);
      disk.put(path, bad);
      const Status status = manager->restore().status();
      EXPECT_FALSE(status.ok()) << path << ", bit " << bit;
      EXPECT_NE(status.message().find(path + ":"), std::string::npos)
          << "bit " << bit << ": " << status.message();
    }
    disk.put(path, good);
  }

  Status verify() {
    auto reader = CheckpointReader::open("/a/ckpt-1", disk);
    return reader.ok() ? reader->verify() : reader.status();
  }

  MemoryDisk disk{"/a"};
  std::optional<CheckpointManager> manager;
  size_t bits = 0;
};

const std::string kGolden = std::string(SMP_TEST_SOURCE_DIR) + "/golden/";

TEST_F(EveryBitTest, OfVersion1) {
  copy(kGolden + "checkpoint-1");
  expectEveryBitMatters(1, 4);
}

TEST_F(EveryBitTest, OfVersion2OfTwoRanks) {
  copy(kGolden + "checkpoint-2");
  expectEveryBitMatters(2, 4);
}

TEST_F(EveryBitTest, OfOneRank) {
  const TemporaryFolder folder;
  CheckpointManager manager(golden.checkpoint(), {.directory = folder.path()});
  save(manager);
  copy(folder.path());
  expectEveryBitMatters(2, 2);
}

TEST_F(EveryBitTest, OfSlicesInShards) {
  const TemporaryFolder folder;
  CheckpointManagerOptions options;
  options.directory = folder.path();
  options.sharding = std::make_shared<MaxShardSizePolicy>(48); // Of 64.
  CheckpointManager manager(golden.checkpoint(), options);
  save(manager);
  copy(folder.path());
  expectEveryBitMatters(2, 10);
}

} // namespace
