// SPDX-License-Identifier: Apache-2.0
#include "Numbers.h"
#include "Table.h"
#include "smp/model/TensorStatistics.h"
#include <algorithm>
#include <cmath>

using namespace smp;
using namespace smp::reference;

/// The sum of the squared differences from the mean.
static double spreadOf(std::span<const double> x, bool ofAbsolute) {
  const auto at = [&](double each) -> long double {
    return ofAbsolute ? std::abs(each) : each;
  };
  long double sum = 0, spread = 0;
  for (const double each : x)
    sum += at(each);
  const long double mean = sum / (long double)(x.size());
  for (const double each : x)
    spread += (at(each) - mean) * (at(each) - mean);
  return double(spread);
}

/// The least of all, where none is a NaN.
template <typename Map>
static double leastOf(std::span<const double> x, Map map) {
  double least = map(x[0]);
  for (const double each : x)
    least = std::isnan(least) || least < map(each) ? least : map(each);
  return least;
}

static void record(std::span<const double> x, std::span<double> numbers) {
  const auto at = [&](Statistic which) -> double & {
    return numbers[size_t(which)];
  };
  const auto sumOf = [&](auto map) {
    long double sum = 0;
    for (const double each : x)
      sum += (long double)(map(each));
    return double(sum);
  };
  at(Statistic::Min) = leastOf(x, [](double each) { return each; });
  at(Statistic::Max) = -leastOf(x, [](double each) { return -each; });
  at(Statistic::AbsMin) =
      leastOf(x, [](double each) { return std::abs(each); });
  at(Statistic::Sum) = sumOf([](double each) { return each; });
  at(Statistic::AbsSum) = sumOf([](double each) { return std::abs(each); });
  at(Statistic::SquareSum) =
      sumOf([](double each) { return (long double)(each)*each; });
  at(Statistic::Spread) = spreadOf(x, false);
  at(Statistic::AbsSpread) = spreadOf(x, true);
  at(Statistic::Nans) = sumOf([](double each) { return std::isnan(each); });
  at(Statistic::Infs) = sumOf([](double each) { return std::isinf(each); });
}

static void statistics(Call &call) {
  call.require(isFloat(call.dtype(0)), "the operand must be a float");
  if (call.failed())
    return;
  const int64_t elements = numElements(call.shape(0));
  HostTensor *result = call.makeResult(
      {DType::F64, {numStatisticsBlocks(elements), kNumStatistics}});
  if (!result)
    return;
  const std::vector<double> x = widenFloats(call.operand(0));
  std::vector<double> all(result->bytes.size() / sizeof(double));
  for (size_t first = 0, at = 0; first < x.size();
       first += kStatisticsBlock, at += kNumStatistics) {
    const size_t size = std::min(x.size() - first, size_t(kStatisticsBlock));
    record(std::span(x).subspan(first, size),
           std::span(all).subspan(at, kNumStatistics));
  }
  narrow(all, *result);
}

std::span<const Entry> smp::reference::statisticsOps() {
  static constexpr Entry entries[] = {{"statistics", 1, statistics}};
  return entries;
}
