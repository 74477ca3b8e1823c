// SPDX-License-Identifier: Apache-2.0
#include "smp/device/DeviceSpec.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

std::vector<DeviceSpec> parse(std::string_view text) {
  auto specs = parseDeviceList(text);
  EXPECT_TRUE(specs.ok()) << specs.status().message();
  return specs.ok() ? specs.take() : std::vector<DeviceSpec>();
}

TEST(DeviceSpec, ReadsOneDevice) {
  const auto specs = parse("cpu:0");
  ASSERT_EQ(specs.size(), 1u);
  EXPECT_EQ(specs[0].driver, "cpu");
  EXPECT_EQ(specs[0].ordinal, 0u);
  EXPECT_EQ(specs[0].settings, "");
  EXPECT_EQ(specs[0].name(), "cpu:0");
}

TEST(DeviceSpec, WhatFollowsTheEqualsSignIsTheDrivers) {
  const auto specs =
      parse("cpu:0=0-3,cpu:1=5,7,9-10,null:2,1/cpu:0=2,far:0=a/b=c,,d,far:1");
  ASSERT_EQ(specs.size(), 6u);
  EXPECT_EQ(specs[0].settings, "0-3");
  EXPECT_EQ(specs[1].settings, "5,7,9-10");
  EXPECT_EQ(specs[2].name(), "null:2");
  EXPECT_EQ(specs[2].settings, "");
  EXPECT_EQ(specs[3].rank, 1u);
  EXPECT_EQ(specs[3].settings, "2");
  EXPECT_EQ(specs[4].name(), "far:0");
  EXPECT_EQ(specs[4].settings, "a/b=c,,d");
  EXPECT_EQ(specs[5].name(), "far:1");
}

TEST(DeviceSpec, WhatIsNoDeviceIsNamed) {
  for (const char *text :
       {"", "cpu", "cpu:", ":0", "cpu:x", "cpu:-1", "cpu:0=", "cpu:0,1",
        "cpu:0,", ",cpu:0", "x/cpu:0", "cpu:99999999999", "cpu:65536", "=",
        "cpu=0", "cpu:0,cpu:0", "cpu:0=1,cpu:1=", "cpu:0=1,cpu:1,2"}) {
    auto specs = parseDeviceList(text);
    ASSERT_FALSE(specs.ok()) << text;
    EXPECT_EQ(specs.status().code(), StatusCode::InvalidArgument);
  }
  EXPECT_EQ(parseDeviceList("cpu:0=1,cpu:x").status().message(),
            "'cpu:x' is no device; write driver:number or "
            "driver:number=settings, as in cpu:0 or cpu:0=0-3, with rank/ in "
            "front when there are several ranks; numbers are 0 to 65535");
  EXPECT_EQ(parseDeviceList("cpu:1,cpu:1").status().message(),
            "device 'cpu:1' is listed twice");
}

TEST(DeviceSpec, DriversWithoutSettingsRefuseThem) {
  EXPECT_TRUE(refuseSettings(parse("far:0,far:1")).ok());
  EXPECT_EQ(refuseSettings(parse("far:0,far:1=0-3,5")).message(),
            "device 'far:1' is given settings '0-3,5'; devices of driver 'far' "
            "have none, so write far:1");
}

} // namespace
