// SPDX-License-Identifier: Apache-2.0
// Layouts beside those of a real DTensor, and what it wrote of tensors in them.
#include "DTensorFixtures.h"
#include "Layouts.h"
#include <algorithm>

using namespace smp;
using namespace smp::test;

namespace {

Layout layoutOf(const DTensorCase &recorded) {
  const std::string text = recorded.specs + kDTensorMeshes[recorded.mesh];
  Expected<Layout> layout = Layout::fromString(text);
  EXPECT_TRUE(layout.ok()) << layout.error();
  EXPECT_EQ(toString(*layout), text);
  return layout.take();
}

} // namespace

TEST(DTensor, LayoutsAreTheSame) {
  for (const DTensorCase &recorded : kDTensorCases) {
    const Layout layout = layoutOf(recorded);
    SCOPED_TRACE(toString(layout));
    std::vector<int64_t> numShards;
    for (size_t axis = 0; axis < layout.rank(); ++axis)
      numShards.push_back(layout.numShards(axis));
    EXPECT_EQ(numShards, recorded.numShards);
    // TensorFlow takes what is sharded in one part for sharded.
    const auto &specs = layout.specs();
    const bool isOnePart =
        std::find(specs.begin(), specs.end(), "b") != specs.end();
    EXPECT_EQ(layout.isFullyReplicated(),
              recorded.isFullyReplicated ||
                  (isOnePart && recorded.localShape == recorded.shape));
  }
}

TEST(DTensor, DevicesHaveTheSame) {
  for (const DTensorCase &recorded : kDTensorCases) {
    const Layout layout = layoutOf(recorded);
    SCOPED_TRACE(toString(layout) + " of " + toString(recorded.shape));
    ASSERT_EQ(checkShape(layout, recorded.shape), std::nullopt);
    std::vector<int64_t> firsts;
    for (int64_t id : layout.mesh().globalDeviceIds()) {
      const TensorSlice shard = shardOf(layout, recorded.shape, id);
      EXPECT_EQ(shard.extent, recorded.localShape);
      firsts.push_back(int64_t(indexOf(shard.offset, recorded.shape)));
    }
    EXPECT_EQ(firsts, recorded.firsts);
  }
}

TEST(DTensor, TheSameDevicesWriteTheSame) {
  for (const DTensorCase &recorded : kDTensorCases) {
    const Layout layout = layoutOf(recorded);
    SCOPED_TRACE(toString(layout) + " of " + toString(recorded.shape));
    EXPECT_EQ(sliceWriters(layout, recorded.shape), recorded.writers);
  }
}
