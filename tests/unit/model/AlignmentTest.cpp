// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Alignment.h"
#include <gtest/gtest.h>

using namespace smp;

TEST(Alignment, NextThingBeginsAtTheNextMultiple) {
  EXPECT_EQ(alignUp(0), 0u);
  EXPECT_EQ(alignUp(1), kDeviceAlignment);
  EXPECT_EQ(alignUp(kDeviceAlignment), kDeviceAlignment);
  EXPECT_EQ(alignUp(kDeviceAlignment + 1), 2 * kDeviceAlignment);
  EXPECT_EQ(alignUp((uint64_t(1) << 48) - 1), uint64_t(1) << 48);
}
