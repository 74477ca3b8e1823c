// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Costs.h"
#include "Seed.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace smp;

namespace {

Costs sample() {
  DeviceCosts device{"x86-64-v4", 2, {1e11, 2e10, 1e-7}, 3e-6, {}};
  device.kernels = {{3, "loop.add", 1e-5, 4, 1e3, 8e3},
                    {7, "product", 2e-3, 8, 2e8, 1e6}};
  return {{device}, {{"x86-64-v4", "x86-64-v4", 5e-6, 1e10}}};
}

TEST(Costs, AreFoundBySignatureKindAndCores) {
  const Costs costs = sample();
  const DeviceCosts &device = costs.devices[0];
  EXPECT_EQ(device.find(7), &device.kernels[1]);
  EXPECT_EQ(device.find(3), &device.kernels[0]);
  for (uint64_t unknown : {0, 1, 5, 8})
    EXPECT_EQ(device.find(unknown), nullptr);
  EXPECT_EQ(costs.find("x86-64-v4", 2), &device);
  EXPECT_EQ(costs.find("x86-64-v4", 1), nullptr);
  EXPECT_EQ(costs.find("x86-64-v3", 2), nullptr);
  EXPECT_EQ(costs.findLink("x86-64-v4", "x86-64-v4"), &costs.links[0]);
  EXPECT_EQ(costs.findLink("x86-64-v4", "sm_80/8.0"), nullptr);
}

struct Case {
  const char *name;
  void (*damage)(Costs &);
  const char *message;
};
void PrintTo(const Case &damaged, std::ostream *os) { *os << damaged.name; }

const Case kCases[] = {
    {"NegativeTime", [](Costs &c) { c.devices[0].kernels[1].seconds = -0.5; },
     "devices[0].kernels[1].seconds is -0.5; it must be a finite number of 0 "
     "or more"},
    {"NanTime", [](Costs &c) { c.devices[0].kernels[0].seconds = NAN; },
     "devices[0].kernels[0].seconds is nan; it must be a finite number of 0 "
     "or more"},
    {"InfiniteWork", [](Costs &c) { c.devices[0].kernels[0].flops = INFINITY; },
     "devices[0].kernels[0].flops is inf; it must be a finite number of 0 or "
     "more"},
    {"NegativeBytes", [](Costs &c) { c.devices[0].kernels[0].bytes = -1; },
     "devices[0].kernels[0].bytes is -1; it must be a finite number of 0 or "
     "more"},
    {"NoSignature", [](Costs &c) { c.devices[0].kernels[0].signature = 0; },
     "devices[0].kernels[0].signature is 0, which no kernel has"},
    {"Order", [](Costs &c) { c.devices[0].kernels[0].signature = 7; },
     "devices[0].kernels[1].signature is not above that of the kernel before; "
     "kernels must be in the order of their signatures, each once"},
    {"Runs", [](Costs &c) { c.devices[0].kernels[0].runs = 0; },
     "devices[0].kernels[0].runs is 0; at least one run must have been "
     "measured"},
    {"Kind", [](Costs &c) { c.devices[0].kind = ""; },
     "devices[0].kind has 0 characters; a kind of device has 1 to 64, as "
     "\"x86-64-v4\""},
    {"Cores", [](Costs &c) { c.devices[0].cores = 0; },
     "devices[0].cores is 0; it must be 1 to 65536"},
    {"Speed", [](Costs &c) { c.devices[0].roofline.flopsPerSecond = 0; },
     "devices[0].roofline.flops_per_second is 0; it must be a finite number "
     "above 0"},
    {"NanSpeed", [](Costs &c) { c.devices[0].roofline.bytesPerSecond = NAN; },
     "devices[0].roofline.bytes_per_second is nan; it must be a finite number "
     "above 0"},
    {"Launch", [](Costs &c) { c.devices[0].roofline.launchSeconds = -1; },
     "devices[0].roofline.launch_seconds is -1; it must be a finite number of "
     "0 or more"},
    {"Stage", [](Costs &c) { c.devices[0].stageSeconds = INFINITY; },
     "devices[0].stage_seconds is inf; it must be a finite number of 0 or "
     "more"},
    {"Twice", [](Costs &c) { c.devices.push_back(c.devices[0]); },
     "devices[1] is of kind 'x86-64-v4' with cores 2, as an earlier one is; "
     "leave one out"},
    {"LinkKind", [](Costs &c) { c.links[0].to = std::string(65, 'x'); },
     "links[0].to has 65 characters; a kind of device has 1 to 64, as "
     "\"x86-64-v4\""},
    {"LinkTime", [](Costs &c) { c.links[0].seconds = -1; },
     "links[0].seconds is -1; it must be a finite number of 0 or more"},
    {"LinkSpeed", [](Costs &c) { c.links[0].bytesPerSecond = 0; },
     "links[0].bytes_per_second is 0; it must be a finite number above 0"},
    {"LinkTwice", [](Costs &c) { c.links.push_back(c.links[0]); },
     "links[1] is from 'x86-64-v4' to 'x86-64-v4', as an earlier one is; "
     "leave one out"},
};

struct DamagedCosts : testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Costs, DamagedCosts, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

TEST_P(DamagedCosts, AreRefused) {
  Costs costs = sample();
  EXPECT_FALSE(checkCosts(costs));
  GetParam().damage(costs);
  EXPECT_EQ(checkCosts(costs).value_or(""), GetParam().message);
}

TEST(Costs, WhatIsMeasuredLaterTakesThePlaceOfWhatWas) {
  Costs costs = sample(), later = sample();
  later.devices[0].kernels = {{1, "new", 1e-6, 1, 1, 1},
                              {7, "product", 4e-3, 2, 2e8, 1e6}};
  later.devices[0].stageSeconds = 9e-6;
  later.links[0].seconds = 1;
  later.devices.push_back(later.devices[0]);
  later.devices[1].cores = 1;
  later.links.push_back({"x86-64-v4", "sm_80/8.0", 1, 1});
  addCosts(costs, later);
  EXPECT_FALSE(checkCosts(costs));
  ASSERT_EQ(costs.devices.size(), 2u);
  const DeviceCosts &device = costs.devices[0];
  ASSERT_EQ(device.kernels.size(), 3u);
  EXPECT_EQ(device.find(1)->name, "new");
  EXPECT_EQ(device.find(3)->seconds, 1e-5);
  EXPECT_EQ(device.find(7)->seconds, 4e-3);
  EXPECT_EQ(device.stageSeconds, 9e-6);
  const Roofline fitted = fitRoofline(device.kernels, {1, 1, 1});
  EXPECT_EQ(device.roofline.flopsPerSecond, fitted.flopsPerSecond);
  EXPECT_EQ(costs.devices[1].kernels.size(), 2u);
  ASSERT_EQ(costs.links.size(), 2u);
  EXPECT_EQ(costs.links[0].seconds, 1);
}

//===----------------------------------------------------------------------===//
// The fit
//===----------------------------------------------------------------------===//

/// The mean of the errors, by the time that kernels have in all their runs.
double errorOf(const Roofline &roofline, std::span<const KernelCost> kernels) {
  double sum = 0, weight = 0;
  for (const KernelCost &kernel : kernels) {
    const double all = kernel.seconds * double(kernel.runs);
    sum +=
        all * std::abs(std::log(roofline.seconds(kernel.flops, kernel.bytes) /
                                kernel.seconds));
    weight += all;
  }
  return sum / weight;
}

/// Kernels of all sizes, as long as the roofline says but for some noise.
std::vector<KernelCost> kernelsOf(const Roofline &roofline, double noise,
                                  std::mt19937 &random) {
  std::uniform_real_distribution<double> exponent(3, 9), error(-noise, noise);
  std::vector<KernelCost> kernels;
  for (uint64_t i = 1; i <= 60; ++i) {
    KernelCost kernel{i, "", 0, 1 + random() % 50, 0, 0};
    kernel.flops = std::pow(10, exponent(random));
    kernel.bytes = std::pow(10, exponent(random));
    kernel.seconds =
        roofline.seconds(kernel.flops, kernel.bytes) * std::exp(error(random));
    kernels.push_back(kernel);
  }
  return kernels;
}

TEST(Roofline, TakesTheSlowerOfOperationsAndBytes) {
  const Roofline roofline{1e9, 1e6, 0.5};
  EXPECT_EQ(roofline.seconds(2e9, 1e6), 2.5);
  EXPECT_EQ(roofline.seconds(1e9, 3e6), 3.5);
  EXPECT_EQ(roofline.seconds(0, 0), 0.5);
}

TEST(Roofline, FitsNoWorseThanTheOneThatMadeTheTimes) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-1, 1);
  for (int draw = 0; draw < 20; ++draw) {
    const Roofline made{1e11 * std::pow(10, exponent(random)),
                        2e10 * std::pow(10, exponent(random)),
                        1e-6 * std::pow(10, exponent(random))};
    for (double noise : {0.0, 0.2}) {
      const auto kernels = kernelsOf(made, noise, random);
      const Roofline fitted = fitRoofline(kernels, {1, 1, 1});
      EXPECT_LE(errorOf(fitted, kernels), errorOf(made, kernels) + 0.02)
          << "draw " << draw << ", noise " << noise;
      const Roofline again = fitRoofline(kernels, {5, 5, 5});
      EXPECT_EQ(fitted.flopsPerSecond, again.flopsPerSecond);
      EXPECT_EQ(fitted.bytesPerSecond, again.bytesPerSecond);
      EXPECT_EQ(fitted.launchSeconds, again.launchSeconds);
    }
  }
}

TEST(Roofline, KeepsWhatNoKernelTells) {
  const Roofline otherwise{3e9, 4e9, 5e-6};
  const Roofline none = fitRoofline({}, otherwise);
  EXPECT_EQ(none.flopsPerSecond, 3e9);
  EXPECT_EQ(none.bytesPerSecond, 4e9);
  EXPECT_EQ(none.launchSeconds, 5e-6);
  // Nothing is computed, and one takes no time that the clock can tell.
  const std::vector<KernelCost> copies = {{1, "", 1e-3, 1, 0, 1e7},
                                          {2, "", 1e-2, 1, 0, 1e8},
                                          {3, "", 0, 1, 0, 1e3}};
  const Roofline fitted = fitRoofline(copies, otherwise);
  EXPECT_NEAR(fitted.seconds(0, 1e8), 1e-2, 2e-3);
  Costs costs{{{"x", 1, fitted, 0, copies}}, {}};
  EXPECT_FALSE(checkCosts(costs));
}

} // namespace
