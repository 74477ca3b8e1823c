// SPDX-License-Identifier: Apache-2.0
// Checkpoints of every version that was ever current are restored.
#include "GoldenTraining.h"
#include "smp/serialization/CheckpointManifest.h"

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
