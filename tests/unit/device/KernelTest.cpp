// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Device.h"
#include <gtest/gtest.h>

using namespace smp;

TEST(FaultStatus, NamesOpIndexAndBound) {
  const LaunchInfo info{"fused", "s0", {"embedding", "lookup"}};
  const Status status = faultStatus(info, {-3, 100, 1, 1});
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "op 'lookup': index -3 is out of range: it must be in 0..99");
}

TEST(FaultStatus, AnOpThatIsNotThereGivesTheKernel) {
  const LaunchInfo info{"fused", "s0", {"embedding"}};
  EXPECT_EQ(faultStatus(info, {7, 5, 1, 9}).message(),
            "kernel 'fused': index 7 is out of range: it must be in 0..4");
  EXPECT_EQ(faultStatus(info, {7, 5, 44, 0}).code(), StatusCode::Internal);
}

TEST(DriverRegistry, AnUnknownDriverIsNamedWithThoseThereAre) {
  DriverRegistry registry;
  auto found = registry.find("tpu");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().message(),
            "there is no driver 'tpu'; this build has: ");
}
