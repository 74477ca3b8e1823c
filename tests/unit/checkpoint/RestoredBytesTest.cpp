// SPDX-License-Identifier: Apache-2.0
// A rank reads what it has of values in parts, and little else.
#include "CountingFiles.h"
#include "MemoryDisk.h"
#include "RankTraining.h"

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kRows = 4096, kColumns = 1024;
constexpr uint64_t kMebibyte = 1 << 20;
/// All is checked before anything is set.
constexpr uint64_t kPasses = 2;

/// Rows, of which each of `count` clients has as many.
ShardedValue rowsOf(int64_t rank, int64_t count) {
  auto mesh =
      Mesh::create({{"x", count}}, {"cpu:0"}, "", MeshClient{rank, count});
  EXPECT_TRUE(mesh.ok()) << mesh.error();
  const Layout layout =
      Layout::create({count > 1 ? "x" : "unsharded", "unsharded"}, mesh.take())
          .take();
  return ShardedValue::zeros({DType::I32, {kRows, kColumns}}, layout).take();
}

TEST(RestoredBytes, AreThoseOfTheRanksRows) {
  const TemporaryFolder folder;
  CheckpointManagerOptions options;
  options.directory = folder.path();
  {
    RankTraining training(nullptr);
    ShardedValue whole = rowsOf(0, 1);
    std::span<int32_t> elements = whole.parts[0].as<int32_t>();
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = int32_t(i);
    CheckpointManager manager(Checkpoint(training, {{"t", whole}}), options);
    save(manager);
  }
  constexpr uint32_t kRanks = 4;
  onThreads(kRanks, [&](Communicator &mine) {
    RankTraining training(&mine);
    ShardedValue part = rowsOf(mine.rank(), kRanks);
    CountingFiles files(FileSystem::disk());
    CheckpointManager manager = CheckpointsOver::open(
        files, Checkpoint(training, {{"t", part}}), options);
    ASSERT_TRUE(restore(manager));
    const auto elements = part.parts[0].as<int32_t>();
    const uint64_t bytes = elements.size() * sizeof(int32_t);
    EXPECT_EQ(elements.front(), int32_t(mine.rank() * elements.size()));
    EXPECT_EQ(elements.back(),
              int32_t((mine.rank() + 1) * elements.size()) - 1);
    const uint64_t read = files.bytesRead();
    EXPECT_GE(read, bytes);
    EXPECT_LE(read, kPasses * (bytes + bytes / 20 + 2 * kMebibyte));
  });
}

} // namespace
