// SPDX-License-Identifier: Apache-2.0
#include "smp/device/DeviceSpec.h"
#include <gtest/gtest.h>

using namespace smp;
using Cores = std::vector<uint32_t>;

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
  EXPECT_TRUE(specs[0].cores.empty());
  EXPECT_EQ(specs[0].name(), "cpu:0");
}

TEST(DeviceSpec, CoresMayBeRangesAndLists) {
  const auto specs = parse("cpu:0=0-3,cpu:1=5,7,9-10,null:2,1/cpu:0=2");
  ASSERT_EQ(specs.size(), 4u);
  EXPECT_EQ(specs[0].cores, (Cores{0, 1, 2, 3}));
  EXPECT_EQ(specs[1].cores, (Cores{5, 7, 9, 10}));
  EXPECT_EQ(specs[2].name(), "null:2");
  EXPECT_EQ(specs[3].rank, 1u);
  EXPECT_EQ(specs[3].cores, Cores{2});
}

TEST(DeviceSpec, WhatIsNoDeviceIsNamed) {
  for (const char *text :
       {"", "cpu", "cpu:", ":0", "cpu:x", "cpu:-1", "cpu:0=", "cpu:0=3-1",
        "cpu:0=a", "cpu:0,1", "cpu:0,", ",cpu:0", "x/cpu:0", "cpu:99999999999",
        "cpu:0=70000", "cpu:0=0-", "cpu:0=1,1", "cpu:0,cpu:0"}) {
    auto specs = parseDeviceList(text);
    ASSERT_FALSE(specs.ok()) << text;
    EXPECT_EQ(specs.status().code(), StatusCode::InvalidArgument);
  }
  EXPECT_EQ(
      parseDeviceList("cpu:0=4,2-1").status().message(),
      "device 'cpu:0': '2-1' is no list of cores; write 3, 0-3 or 0,2,4-5 "
      "with numbers below 65536");
  EXPECT_EQ(parseDeviceList("cpu:1,cpu:1").status().message(),
            "device 'cpu:1' is listed twice");
}

struct Resolved {
  std::vector<DeviceSpec> specs;
  std::vector<std::string> log;
  Status status;
};

Resolved resolve(std::string_view text, AllowedCores allowed,
                 uint32_t rank = 0) {
  if (allowed.physical.empty())
    allowed.physical = allowed.cores;
  Resolved result{parse(text), {}, {}};
  result.status = resolveCores(
      result.specs, rank, allowed,
      [&](LogLevel, std::string_view line) { result.log.emplace_back(line); });
  return result;
}

TEST(ResolveCores, DevicesWithoutAListShareEvenly) {
  const auto result = resolve("cpu:0,cpu:1", {{0, 1, 2, 3, 8}, 5, {}});
  EXPECT_EQ(result.specs[0].cores, (Cores{0, 1, 2}));
  EXPECT_EQ(result.specs[1].cores, (Cores{3, 8}));
  EXPECT_TRUE(result.log.empty());
}

TEST(ResolveCores, ListsAreTakenOutFirst) {
  const auto result = resolve("cpu:0=1,cpu:1,cpu:2", {{0, 1, 2, 3, 4}, 5, {}});
  EXPECT_EQ(result.specs[1].cores, (Cores{0, 2}));
  EXPECT_EQ(result.specs[2].cores, (Cores{3, 4}));
}

TEST(ResolveCores, NoMoreCoresThanTimeIsGrantedFor) {
  const auto result = resolve("cpu:0,cpu:1", {{0, 1, 2, 3, 4, 5}, 3, {}});
  EXPECT_EQ(result.specs[0].cores, (Cores{0, 1}));
  EXPECT_EQ(result.specs[1].cores, Cores{2});
}

TEST(ResolveCores, OneThreadOfEachPhysicalCoreWhileTheyLast) {
  const AllowedCores twoByTwo{{0, 1, 2, 3}, 4, {0, 1}};
  EXPECT_EQ(resolve("cpu:0", twoByTwo).specs[0].cores, (Cores{0, 1}));
  EXPECT_EQ(resolve("cpu:0,cpu:1", twoByTwo).specs[1].cores, Cores{1});
  const auto three = resolve("cpu:0,cpu:1,cpu:2", twoByTwo);
  EXPECT_EQ(three.specs[0].cores, (Cores{0, 1}));
  EXPECT_EQ(three.specs[2].cores, Cores{3});
  EXPECT_EQ(resolve("cpu:0=2-3", twoByTwo).specs[0].cores, (Cores{2, 3}));
}

TEST(ResolveCores, TooFewCoresAreSharedAndSaidToTheLog) {
  const auto result = resolve("cpu:0,cpu:1,cpu:2", {{4, 6}, 2, {}});
  EXPECT_EQ(result.specs[0].cores, Cores{4});
  EXPECT_EQ(result.specs[1].cores, Cores{6});
  EXPECT_EQ(result.specs[2].cores, Cores{4});
  ASSERT_EQ(result.log.size(), 1u);
  EXPECT_EQ(result.log[0], "devices 'cpu:0' and 'cpu:2' share core 4 and will "
                           "wait for each other");
}

TEST(ResolveCores, OverlappingListsAreSaidToTheLog) {
  const auto result = resolve("cpu:0=0-2,cpu:1=2-3", {{0, 1, 2, 3}, 4, {}});
  EXPECT_TRUE(result.status.ok());
  ASSERT_EQ(result.log.size(), 1u);
}

TEST(ResolveCores, ACoreOutsideTheProcessIsAnError) {
  const auto result = resolve("cpu:0=0-5", {{0, 1, 2, 3}, 4, {}});
  EXPECT_EQ(result.status.message(),
            "device 'cpu:0' names core 4, which this process may not use; it "
            "may use 4 cores from 0 to 3");
}

TEST(ResolveCores, OtherRanksAreLeftAlone) {
  const auto result = resolve("0/cpu:0,1/cpu:0=77", {{0, 1}, 2, {}});
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.specs[0].cores, (Cores{0, 1}));
  EXPECT_EQ(result.specs[1].cores, Cores{77});
}

} // namespace
