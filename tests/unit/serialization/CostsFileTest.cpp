// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CostsFile.h"
#include "TemporaryFolder.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

constexpr char kText[] = R"({
  "format": "smp-costs",
  "version": 1,
  "devices": [
    {"kind": "x86-64-v4", "cores": 1,
     "roofline": {"flops_per_second": 1e+11, "bytes_per_second": 2.5e+10, "launch_seconds": 1e-07},
     "stage_seconds": 0,
     "kernels": [
      {"signature": "0000000000000007", "name": "loop.add f32[4]", "seconds": 1.25e-05, "runs": 40, "flops": 4, "bytes": 48},
      {"signature": "fedcba9876543210", "name": "a \"b\"", "seconds": 0.1, "runs": 1, "flops": 0, "bytes": 0}]}],
  "links": [
    {"from": "x86-64-v4", "to": "x86-64-v4", "seconds": 5e-06, "bytes_per_second": 1.2e+10}]
}
)";

TEST(CostsFile, IsReadAsItIsWritten) {
  const StatusOr<Costs> costs = parseCosts(kText);
  ASSERT_TRUE(costs.ok()) << costs.status().message();
  ASSERT_EQ(costs->devices.size(), 1u);
  const DeviceCosts &device = costs->devices[0];
  EXPECT_EQ(device.kind, "x86-64-v4");
  EXPECT_EQ(device.cores, 1u);
  EXPECT_EQ(device.roofline.bytesPerSecond, 2.5e10);
  EXPECT_EQ(device.stageSeconds, 0);
  ASSERT_EQ(device.kernels.size(), 2u);
  EXPECT_EQ(device.kernels[1].signature, 0xfedcba9876543210);
  EXPECT_EQ(device.kernels[1].name, "a \"b\"");
  EXPECT_EQ(device.kernels[0].seconds, 1.25e-5);
  EXPECT_EQ(device.kernels[0].runs, 40u);
  EXPECT_EQ(device.kernels[0].bytes, 48);
  ASSERT_EQ(costs->links.size(), 1u);
  EXPECT_EQ(costs->links[0].bytesPerSecond, 1.2e10);
  EXPECT_EQ(formatCosts(*costs), kText);
}

TEST(CostsFile, OfNothingIsOne) {
  const StatusOr<Costs> costs = parseCosts(formatCosts({}));
  ASSERT_TRUE(costs.ok()) << costs.status().message();
  EXPECT_TRUE(costs->devices.empty());
  EXPECT_TRUE(costs->links.empty());
}

struct Case {
  const char *name;
  std::string from, to; ///< What is changed in the text.
  const char *message;
};
void PrintTo(const Case &damaged, std::ostream *os) { *os << damaged.name; }

const Case kCases[] = {
    {"Cut", "\"links\"", "", "it is no JSON object"},
    {"NaN", "1.25e-05", "NaN", "it is no JSON object"},
    {"TooGreat", "1.25e-05", "1e999", "it is no JSON object"},
    {"Negative", "1.25e-05", "-1.25e-05",
     "devices[0].kernels[0].seconds is -1.25e-05; it must be a finite number "
     "of 0 or more"},
    {"Text", "1.25e-05", "\"long\"",
     "devices[0].kernels[0].seconds is no number"},
    {"Missing", "\"runs\": 40, ", "", "devices[0].kernels[0].runs is missing"},
    {"Fraction", "\"runs\": 40", "\"runs\": 4.5",
     "devices[0].kernels[0].runs is no whole number from 0"},
    {"Cores", "\"cores\": 1", "\"cores\": 4294967296",
     "devices[0].cores has more than 32 bits"},
    {"Digits", "0000000000000007", "7",
     "devices[0].kernels[0].signature is '7'; it must be 16 hexadecimal "
     "digits"},
    {"NoDigits", "0000000000000007", "-000000000000007",
     "devices[0].kernels[0].signature is '-000000000000007'; it must be 16 "
     "hexadecimal digits"},
    {"Format", "smp-costs", "smp-prices",
     "format is 'smp-prices'; it must be 'smp-costs'"},
    {"Version", "\"version\": 1", "\"version\": 2",
     "version is 2; this version of smp reads 1 to 1"},
    {"OldVersion", "\"version\": 1", "\"version\": 0",
     "version is 0; this version of smp reads 1 to 1"},
    {"NoList", "\"devices\": [", "\"devices\": 1, \"other\": [",
     "devices is no list"},
    {"NoObject", "{\"flops_per_second\"", "1, \"x\": {\"flops_per_second\"",
     "devices[0].roofline.flops_per_second is missing; "
     "devices[0].roofline.bytes_per_second is missing; "
     "devices[0].roofline.launch_seconds is missing"},
    {"Deep", "\"name\": \"loop.add f32[4]\"", "\"name\": [[[[[[[[[1]]]]]]]]]",
     "it is nested deeper than 8"},
};

struct DamagedCostsFile : testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(CostsFile, DamagedCostsFile, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

TEST_P(DamagedCostsFile, IsRefusedWithItsPlace) {
  std::string text = kText;
  const size_t at = text.find(GetParam().from);
  ASSERT_NE(at, text.npos);
  text.replace(at, GetParam().from.size(), GetParam().to);
  const StatusOr<Costs> costs = parseCosts(text);
  ASSERT_FALSE(costs.ok());
  EXPECT_EQ(costs.status().message(), GetParam().message);
}

TEST(CostsFile, ThatIsTooLongIsRefused) {
  const std::string text(kMostCostsBytes + 1, ' ');
  EXPECT_EQ(parseCosts(text).status().message(),
            "it has 67108865 bytes; a file of costs has at most 67108864");
}

TEST(CostsFile, IsNamedWhereItIsWrong) {
  TemporaryFolder folder;
  const std::string path = folder.file("costs.json");
  EXPECT_NE(readCosts(path).status().message().find(path), std::string::npos);
  folder.write("costs.json", kText);
  EXPECT_TRUE(readCosts(path).ok());
  folder.write("costs.json", "[]");
  EXPECT_EQ(readCosts(path).status().message(),
            "'" + path +
                "' is no file of costs: it is no JSON object; make one with "
                "smp-run --profile");
}

} // namespace
