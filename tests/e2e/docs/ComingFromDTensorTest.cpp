// SPDX-License-Identifier: Apache-2.0
// The code of docs/coming-from/dtensor.md.

#include "TemporaryFolder.h"
#include "smp/checkpoint/Checkpoint.h"
#include "smp/model/Relayout.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <sstream>

namespace {

#include "check-layout.inc"

/// Of one process.
std::vector<std::string> eightDevices() {
  std::vector<std::string> devices;
  for (int i = 0; i < 8; ++i)
    devices.push_back("/job:smp/replica:0/task:0/device:CPU:" +
                      std::to_string(i));
  return devices;
}

class ComingFromDTensor : public testing::Test {
protected:
  const std::vector<std::string> devices = eightDevices();
  const smp::Mesh mesh =
      check(smp::Mesh::create({{"x", 2}, {"y", 4}}, devices));
  const smp::Layout layout =
      check(smp::Layout::create({"x", "unsharded"}, mesh));
};

TEST_F(ComingFromDTensor, LayoutsAreTexts) {
#include "mesh.inc"
  EXPECT_EQ(same, layout);
  EXPECT_EQ(text.substr(0, 44), "sharding_specs:x,unsharded, mesh:|x=2,y=4|0,");
}

TEST_F(ComingFromDTensor, DevicesHaveTheirParts) {
#include "sharded-value.inc"
  EXPECT_EQ(wrong, std::nullopt);
  ASSERT_EQ(weight.parts.size(), 8u);
  EXPECT_EQ(weight.parts[3].type.shape, (smp::Shape{3, 3}));
  EXPECT_EQ(weight.parts[4].type.shape, (smp::Shape{2, 3}));
  EXPECT_EQ(weight.parts[4].as<float>()[5], 3);
}

TEST_F(ComingFromDTensor, TheLowestDevicesWrite) {
  std::ostringstream printed;
  std::streambuf *before = std::cout.rdbuf(printed.rdbuf());
#include "slice-writers.inc"
  std::cout.rdbuf(before);
  EXPECT_EQ(printed.str(), "0 writes 5 3 0,3:-\n4 writes 5 3 3,2:-\n");
}

TEST_F(ComingFromDTensor, SlicesAreCutAnew) {
  const smp::Layout columns =
      check(smp::Layout::create({"unsharded", "y"}, mesh));
  std::vector<smp::TensorSlice> written;
  for (const smp::SliceWriter &writer : sliceWriters(layout, {5, 3}))
    written.push_back(writer.slice);
  const int64_t device = 2; // It has the last column.
  std::vector<smp::SliceCopy> copies;
  auto copyElements = [&](const smp::SliceCopy &copy) {
    copies.push_back(copy);
  };
#include "relayout.inc"
  EXPECT_EQ(copies, (std::vector<smp::SliceCopy>{{0, {0, 2}, {0, 0}, {3, 1}},
                                                 {1, {0, 2}, {3, 0}, {2, 1}}}));
}

TEST_F(ComingFromDTensor, ValuesInPartsAreRoots) {
  const smp::Layout columns =
      check(smp::Layout::create({"unsharded", "y"}, mesh));
#include "sharded-value.inc"
  const smp::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
#include "sharded-root.inc"
  std::filesystem::current_path(before);
  ASSERT_TRUE(saved.ok()) << saved.status().message();
  EXPECT_EQ(*saved, "run/ckpt-1");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->assertConsumed().ok());
  const std::span<const float> last = other.parts[2].as<float>();
  EXPECT_EQ(std::vector<float>(last.begin(), last.end()),
            (std::vector<float>{0, 0, 0, 3, 3}));
}

} // namespace
