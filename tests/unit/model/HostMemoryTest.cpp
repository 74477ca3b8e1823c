// SPDX-License-Identifier: Apache-2.0
#include "smp/model/HostMemory.h"
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace smp;

namespace {

TEST(HostMemory, WhatNoMachineHasIsNamed) {
  const std::string error = checkMemory(uint64_t(1) << 50);
  EXPECT_EQ(error.find("needs 1125899906842624 bytes of memory beside those in "
                       "use, and the process may have "),
            0u)
      << error;
  EXPECT_EQ(checkMemory(uint64_t(64) << 20), "");
}

/// There is no room for the reserve of large tensors, and none is needed.
TEST(HostMemory, WhatIsSmallIsNotAskedFor) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit none = {1 << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
  const std::string small = checkMemory(16), large = checkMemory(2 << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(small, "");
  EXPECT_NE(large, "");
}

} // namespace
