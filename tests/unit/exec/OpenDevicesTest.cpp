// SPDX-License-Identifier: Apache-2.0
// A device for each partition.
#include "device/OpenDevices.h"
#include "smp/drivers/RegisterDrivers.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// Notes what each call is given, and opens null devices.
class NotingDriver final : public Driver {
public:
  NotingDriver(std::string label, std::vector<std::string> &calls)
      : label(std::move(label)), calls(calls) {
    registerDrivers(others);
  }
  std::string_view name() const override { return label; }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceSpec> specs,
       const DeviceOptions &options) override {
    std::vector<DeviceSpec> plain;
    calls.emplace_back();
    for (const DeviceSpec &spec : specs) {
      calls.back() += spec.name() + "=" + spec.settings + ";";
      plain.push_back({0, "null", spec.ordinal, ""});
    }
    return (*others.find("null"))->open(plain, options);
  }

private:
  std::string label;
  std::vector<std::string> &calls;
  DriverRegistry others;
};

TEST(OpenDevices, ADriverGetsAllItsDevicesOfThisRankAtOnce) {
  std::vector<std::string> calls;
  DriverRegistry drivers;
  drivers.add(std::make_unique<NotingDriver>("near", calls));
  drivers.add(std::make_unique<NotingDriver>("far", calls));
  auto specs = parseDeviceList("far:3=some,words,near:1,1/far:0=?,far:2");
  ASSERT_TRUE(specs.ok()) << specs.status().message();
  auto devices = openDevices(*specs, 0, drivers, {});
  ASSERT_TRUE(devices.ok()) << devices.status().message();
  EXPECT_EQ(calls,
            (std::vector<std::string>{"far:3=some,words;far:2=;", "near:1=;"}));
  ASSERT_EQ(devices->size(), 4u);
  EXPECT_EQ((*devices)[0]->name(), "null:3");
  EXPECT_EQ((*devices)[1]->name(), "null:1");
  EXPECT_EQ((*devices)[2], nullptr);
  EXPECT_EQ((*devices)[3]->name(), "null:2");
}

TEST(OpenDevices, RanksWithoutDevicesOpenNone) {
  const DriverRegistry none;
  auto devices = openDevices(*parseDeviceList("1/far:0"), 0, none, {});
  ASSERT_TRUE(devices.ok()) << devices.status().message();
  EXPECT_EQ((*devices)[0], nullptr);
}

TEST(OpenDevices, PartitionsAreSharedOutAmongRanks) {
  EXPECT_EQ(defaultDevices(3, 1), "0/cpu:0,0/cpu:1,0/cpu:2");
  EXPECT_EQ(defaultDevices(3, 2), "0/cpu:0,0/cpu:1,1/cpu:0");
  EXPECT_EQ(defaultDevices(1, 2), "0/cpu:0");
}

} // namespace
