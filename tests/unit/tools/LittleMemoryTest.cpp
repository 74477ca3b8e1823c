// SPDX-License-Identifier: Apache-2.0
// What smp-checkpoint does with a checkpoint that is larger than its memory.
#include "SmpCheckpointFixture.h"
#include "WriteCheckpoint.h"
#include <cstring>

using namespace smp;
using namespace smp::test;

namespace {

/// Writes a parameter of 64 MiB in shards of 10 MB.
struct LittleMemory : SmpCheckpoint {
  LittleMemory() {
    const TensorType type{DType::F32, {4096, 4096}};
    CheckpointToWrite written;
    written.manifest.items = {{"model/w", type, {}}};
    written.saveSpecs = {"w"};
    written.tensors = {
        {"model/w", type, [](const TensorSlice &box, auto bytes) {
           for (size_t i = 0; i < bytes.size(); i += 4) {
             const float value =
                 float(box.offset[0]) + float(i) / float(bytes.size());
             std::memcpy(bytes.data() + i, &value, sizeof(value));
           }
           return Status();
         }}};
    Watch watch;
    EXPECT_TRUE(writeCheckpoint(std::move(written),
                                MaxShardSizePolicy(10000000),
                                folder.file("run/ckpt-1"), watch)
                    .ok());
    before = "ulimit -d 16384 &&"; // KiB
  }
};

} // namespace

TEST_F(LittleMemory, IsEnough) {
  EXPECT_EQ(run("verify run/ckpt-1"), 0) << err;
  ASSERT_EQ(run("reshard run/ckpt-1 back/ckpt-1 --one-file"), 0) << err;
  ASSERT_EQ(run("reshard back/ckpt-1 back/ckpt-2 --max-shard-bytes 7000000"), 0)
      << err;
  EXPECT_EQ(run("diff back/ckpt-2 run/ckpt-1"), 0) << out << err;
  ASSERT_EQ(run("convert run/ckpt-1 tf/ckpt-1"), 0) << err;
  ASSERT_EQ(run("convert tf/ckpt-1 tf/ckpt-2"), 0) << err;
  EXPECT_EQ(run("diff tf/ckpt-2 tf/ckpt-1"), 0) << out << err;
}

/// Files that may not grow that far are as a full disk is.
TEST_F(LittleMemory, AFullDiskLeavesNothing) {
  before = "ulimit -f 40000 &&";
  for (const char *command : {"reshard run/ckpt-1 tf/ckpt-1 --one-file",
                              "convert run/ckpt-1 tf/ckpt-1"}) {
    expectError(command, "File too large");
    EXPECT_TRUE(filesIn("tf").empty());
  }
}
