// SPDX-License-Identifier: Apache-2.0
#include "CoreList.h"
#include <gtest/gtest.h>

using namespace smp;
using Cores = std::vector<uint32_t>;

namespace {

StatusOr<Cores> coresOf(const char *settings) {
  return parseCores({0, "cpu", 0, settings});
}

TEST(CoreList, MayHaveRangesAndLists) {
  EXPECT_EQ(*coresOf(""), Cores{});
  EXPECT_EQ(*coresOf("3"), Cores{3});
  EXPECT_EQ(*coresOf("0-3"), (Cores{0, 1, 2, 3}));
  EXPECT_EQ(*coresOf("9-10,5,7"), (Cores{5, 7, 9, 10}));
}

TEST(CoreList, WhatIsNoCoreIsNamed) {
  for (const char *settings : {"3-1", "a", "70000", "0-", "-1", "0,", ",0",
                               "0,,1", "1-2-3", "0-65536", "0/1", "1=2"}) {
    auto cores = coresOf(settings);
    ASSERT_FALSE(cores.ok()) << settings;
    EXPECT_EQ(cores.status().code(), StatusCode::InvalidArgument);
  }
  EXPECT_EQ(coresOf("4,2-1").status().message(),
            "device 'cpu:0': '2-1' is no list of cores; write 3, 0-3 or "
            "0,2,4-5 with numbers below 65536");
  EXPECT_EQ(coresOf("1,0-1").status().message(),
            "device 'cpu:0' lists core 1 twice");
}

} // namespace
