// SPDX-License-Identifier: Apache-2.0
#include "ResolveCores.h"
#include <gtest/gtest.h>

using namespace smp;
using Cores = std::vector<uint32_t>;

namespace {

struct Resolved {
  std::vector<Cores> cores; // By device.
  std::vector<std::string> log;
  Status status;
};

Resolved resolve(std::string_view text, AllowedCores allowed) {
  if (allowed.physical.empty())
    allowed.physical = allowed.cores;
  Resolved result;
  auto resolved = resolveCores(
      *parseDeviceList(text), allowed,
      [&](LogLevel, std::string_view line) { result.log.emplace_back(line); });
  if (resolved.ok())
    result.cores = resolved.take();
  else
    result.status = resolved.status();
  return result;
}

TEST(ResolveCores, DevicesWithoutAListShareEvenly) {
  const auto result = resolve("cpu:0,cpu:1", {{0, 1, 2, 3, 8}, 5, {}});
  EXPECT_EQ(result.cores[0], (Cores{0, 1, 2}));
  EXPECT_EQ(result.cores[1], (Cores{3, 8}));
  EXPECT_TRUE(result.log.empty());
}

TEST(ResolveCores, ListsAreTakenOutFirst) {
  const auto result = resolve("cpu:0=1,cpu:1,cpu:2", {{0, 1, 2, 3, 4}, 5, {}});
  EXPECT_EQ(result.cores[1], (Cores{0, 2}));
  EXPECT_EQ(result.cores[2], (Cores{3, 4}));
}

TEST(ResolveCores, NoMoreCoresThanTimeIsGrantedFor) {
  const auto result = resolve("cpu:0,cpu:1", {{0, 1, 2, 3, 4, 5}, 3, {}});
  EXPECT_EQ(result.cores[0], (Cores{0, 1}));
  EXPECT_EQ(result.cores[1], Cores{2});
}

TEST(ResolveCores, OneThreadOfEachPhysicalCoreWhileTheyLast) {
  const AllowedCores twoByTwo{{0, 1, 2, 3}, 4, {0, 1}};
  EXPECT_EQ(resolve("cpu:0", twoByTwo).cores[0], (Cores{0, 1}));
  EXPECT_EQ(resolve("cpu:0,cpu:1", twoByTwo).cores[1], Cores{1});
  const auto three = resolve("cpu:0,cpu:1,cpu:2", twoByTwo);
  EXPECT_EQ(three.cores[0], (Cores{0, 1}));
  EXPECT_EQ(three.cores[2], Cores{3});
  EXPECT_EQ(resolve("cpu:0=2-3", twoByTwo).cores[0], (Cores{2, 3}));
}

TEST(ResolveCores, TooFewCoresAreSharedAndSaidToTheLog) {
  const auto result = resolve("cpu:0,cpu:1,cpu:2", {{4, 6}, 2, {}});
  EXPECT_EQ(result.cores[0], Cores{4});
  EXPECT_EQ(result.cores[1], Cores{6});
  EXPECT_EQ(result.cores[2], Cores{4});
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

TEST(ResolveCores, WhatIsNoListOfCoresIsAnError) {
  const auto result = resolve("cpu:0,cpu:1=x", {{0, 1}, 2, {}});
  EXPECT_NE(result.status.message().find("device 'cpu:1': 'x' is no list"),
            std::string::npos);
}

} // namespace
