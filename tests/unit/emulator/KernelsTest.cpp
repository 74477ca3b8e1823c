// SPDX-License-Identifier: Apache-2.0
// Kernels that a compiler made of C: the whole way, under several orders.
#include "Machine.h"
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

using namespace smp::emulator;

namespace {

std::string kernels() {
  std::ifstream file(SMP_EMULATOR_KERNELS);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = between(random);
  return values;
}

class Kernels : public testing::TestWithParam<uint64_t> {
protected:
  Kernels() : machine(kernels()) {
    machine.launch.seed = GetParam();
    machine.launch.threads = 1 + GetParam() % 2;
  }
  LaunchResult run(const std::string &kernel, Dim3 grid, Dim3 block,
                   const std::vector<uint64_t> &parameters) {
    LaunchResult result = machine.run(kernel, grid, block, parameters);
    EXPECT_FALSE(result.fault) << result.fault->message;
    return result;
  }
  Machine machine;
};

TEST_P(Kernels, Scaled) {
  const std::vector<float> x = randomFloats(1000, 1);
  const uint64_t a = machine.buffer(x), b = machine.raw(4000);
  const LaunchResult result = run("scaled", {8}, {128}, {a, b, 1000});
  const std::vector<float> y = machine.values<float>(b, 1000);
  for (size_t i = 0; i < 1000; ++i)
    EXPECT_EQ(y[i], std::max(x[i] * 3.0f + 1.0f, 0.0f));
  EXPECT_EQ(result.statistics.globalReads.sectors, 125u);
  EXPECT_EQ(result.statistics.globalWrites.sectors, 125u);
}

TEST_P(Kernels, ProductThroughSharedMemory) {
  const size_t n = 48;
  const std::vector<float> a = randomFloats(n * n, 2),
                           b = randomFloats(n * n, 3);
  const uint64_t at = machine.buffer(a), bt = machine.buffer(b),
                 ct = machine.raw(n * n * 4);
  run("product", {3, 3}, {16, 16}, {at, bt, ct, n});
  const std::vector<float> c = machine.values<float>(ct, n * n);
  for (size_t row = 0; row < n; ++row)
    for (size_t column = 0; column < n; ++column) {
      float sum = 0;
      for (size_t k = 0; k < n; ++k)
        sum = std::fma(a[row * n + k], b[k * n + column], sum);
      EXPECT_EQ(c[row * n + column], sum);
    }
}

TEST_P(Kernels, TransposedWithoutBankConflicts) {
  const size_t n = 64;
  const std::vector<float> a = randomFloats(n * n, 4);
  const uint64_t at = machine.buffer(a), bt = machine.raw(n * n * 4);
  const LaunchResult result = run("transposed", {2, 2}, {32, 8}, {at, bt, n});
  const std::vector<float> b = machine.values<float>(bt, n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      EXPECT_EQ(b[j * n + i], a[i * n + j]);
  EXPECT_EQ(result.statistics.bankConflicts, 0u);
  EXPECT_EQ(result.statistics.globalWrites.sectors, n * n / 8);
}

TEST_P(Kernels, TotalByShufflesAndSharedMemory) {
  const std::vector<float> x = randomFloats(10000, 5);
  const uint64_t a = machine.buffer(x), b = machine.raw(4);
  run("total", {1}, {256}, {a, b, x.size()});
  std::vector<float> lanes(256);
  for (size_t i = 0; i < x.size(); ++i)
    lanes[i % 256] += x[i];
  for (size_t by = 16; by; by /= 2) {
    const std::vector<float> before = lanes;
    for (size_t lane = 0; lane < 256; ++lane)
      lanes[lane] = before[lane] + before[lane ^ by];
  }
  float sum = lanes[0];
  for (size_t warp = 1; warp < 8; ++warp)
    sum += lanes[32 * warp];
  EXPECT_EQ(machine.values<float>(b, 1)[0], sum);
}

int chosen(int a, int which) {
  switch (which & 7) {
  case 0:
    return a * 3;
  case 1:
    return a / 7;
  case 2:
    return a % 5;
  case 3:
    return a ^ 0x55;
  case 4:
    return __builtin_popcount(a);
  case 5:
    return a << 3;
  default:
    return -a;
  }
}

TEST_P(Kernels, ChoicesByCallsAndLocalMemory) {
  std::mt19937 random(6);
  std::vector<int> x(256);
  for (int &value : x)
    value = static_cast<int>(random() % 100000);
  const uint64_t a = machine.buffer(x), b = machine.raw(1024);
  run("choices", {1}, {256}, {a, b});
  const std::vector<int> y = machine.values<int>(b, 256);
  for (int t = 0; t < 256; ++t) {
    uint32_t all = 0;
    for (int i = 0; i < (x[t] & 15); ++i) {
      const int k = (i + t) & 7;
      all = all * 31 + static_cast<uint32_t>(chosen(x[t] + k, t + k));
    }
    EXPECT_EQ(static_cast<uint32_t>(y[t]), all);
  }
}

TEST_P(Kernels, HistogramByAtomics) {
  std::mt19937 random(7);
  std::vector<int> x(5000), expected(64);
  for (int &value : x)
    ++expected[value = static_cast<int>(random() % 64)];
  const uint64_t a = machine.buffer(x),
                 b = machine.buffer(std::vector<int>(64));
  run("histogram", {7}, {96}, {a, b, x.size()});
  EXPECT_EQ(machine.values<int>(b, 64), expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Kernels, testing::Range<uint64_t>(0, 6));

} // namespace
