// SPDX-License-Identifier: Apache-2.0
// Checkpoints of every version that was ever current are restored.
#include "GoldenTraining.h"
#include "smp/serialization/CheckpointReader.h"
#include <set>

using namespace smp;
using namespace smp::test;
namespace fs = std::filesystem;

static const fs::path kGolden = fs::path(SMP_TEST_SOURCE_DIR) / "golden";

TEST(GoldenCheckpoint, EveryVersionHasOneThatIsRestored) {
  for (uint32_t version = 1; version <= kCheckpointVersion; ++version) {
    SCOPED_TRACE("version " + std::to_string(version));
    const fs::path golden = kGolden / ("checkpoint-" + std::to_string(version));
    ASSERT_TRUE(fs::exists(golden / "ckpt-1.json"))
        << "run utils/add-golden, see serialization/VERSIONS.md";
    TemporaryFolder folder; // Saving and what is restored go on beside it.
    fs::copy(golden, folder.path());
    EXPECT_NE(folder.read("ckpt-1.json")
                  .find("\"version\": " + std::to_string(version) + ","),
              std::string::npos);
    GoldenTraining restored(nullptr);
    CheckpointManager manager(restored.checkpoint(),
                              {.directory = folder.path()});
    ASSERT_TRUE(restore(manager));
    expectAfter(restored.training, kGoldenSteps);
    EXPECT_EQ(restored.epoch, 7);
    EXPECT_EQ(restored.position, "line 12");
    restored.training.train();
    save(manager);
    restored.training.train();
    EXPECT_TRUE(restore(manager));
    expectAfter(restored.training, kGoldenSteps + 1);
  }
}

/// Nothing but the manifest says that files of older versions are smp's.
TEST(GoldenCheckpoint, EveryVersionIsReplaced) {
  for (uint32_t version = 1; version <= kCheckpointVersion; ++version) {
    SCOPED_TRACE("version " + std::to_string(version));
    TemporaryFolder folder;
    fs::copy(kGolden / ("checkpoint-" + std::to_string(version)),
             folder.path());
    GoldenTraining restored(nullptr);
    CheckpointManager manager(restored.checkpoint(),
                              {.directory = folder.path()});
    ASSERT_TRUE(restore(manager));
    for (const std::string stem : {"ckpt-1.again", "ckpt-1", "ckpt-1.again"}) {
      const auto saved = manager.save({.number = 1});
      ASSERT_TRUE(saved.ok()) << saved.status().message();
      const std::vector<std::string> names = folder.names();
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()),
                (std::set<std::string>{"checkpoint", "ckpt-1.json", "ckpt.lock",
                                       stem + ".model.safetensors",
                                       stem + ".state.safetensors"}));
    }
  }
}

TEST(GoldenCheckpoint, EveryChangedByteOfAFileOfVersion1IsFound) {
  const fs::path golden = kGolden / "checkpoint-1";
  const std::string name = "ckpt-1.model-00002-of-00002.safetensors";
  const auto size = size_t(fs::file_size(golden / name));
  for (size_t at = 0; at < size; at += 7) {
    TemporaryFolder folder;
    fs::copy(golden, folder.path());
    std::string bytes = folder.read(name);
    bytes[at] = char(bytes[at] ^ 16);
    folder.write(name, bytes);
    auto reader =
        CheckpointReader::open(folder.file("ckpt-1"), FileSystem::disk());
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    const Status status = reader->verify();
    EXPECT_EQ(status.code(), StatusCode::DataLoss);
    EXPECT_TRUE(
        status.message().starts_with(folder.file(name) + ": its CRC-32C is "))
        << status.message();
  }
}
