// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/WeightStore.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

ir::Weight weightOf(DType type, const std::vector<float> &values) {
  return ir::makeOwnedWeight({type, {int64_t(values.size())}},
                             std::as_bytes(std::span(values)));
}

TEST(WeightStore, SharesWhatIsEqual) {
  ir::WeightStore first, second;
  ASSERT_TRUE(first.add("same", weightOf(DType::F32, {1, 2})));
  ASSERT_TRUE(first.add("other", weightOf(DType::F32, {1, 2})));
  ASSERT_TRUE(first.add("typed", weightOf(DType::F32, {1, 2})));
  ASSERT_TRUE(second.add("same", weightOf(DType::F32, {1, 2})));
  ASSERT_TRUE(second.add("other", weightOf(DType::F32, {1, 3})));
  ASSERT_TRUE(second.add("typed", weightOf(DType::I32, {1, 2})));
  ASSERT_TRUE(second.add("alone", weightOf(DType::F32, {1, 2})));
  const std::weak_ptr<const void> dropped = second.find("same")->owner;

  second.share(first);
  EXPECT_EQ(second.size(), 4u);
  EXPECT_EQ(second.find("same")->bytes.data(),
            first.find("same")->bytes.data());
  EXPECT_EQ(second.find("same")->owner, first.find("same")->owner);
  EXPECT_TRUE(dropped.expired());
  EXPECT_EQ(second.find("typed")->type.dtype, DType::I32);
  for (const char *name : {"other", "typed", "alone"})
    EXPECT_NE(second.find(name)->owner, first.find("same")->owner) << name;
  EXPECT_NE(second.find("other")->bytes.data(),
            first.find("other")->bytes.data());
  EXPECT_NE(second.find("typed")->bytes.data(),
            first.find("typed")->bytes.data());
}

} // namespace
