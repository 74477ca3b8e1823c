// SPDX-License-Identifier: Apache-2.0
#include "Reduce.h"
#include "Elements.h"
#include <cmath>
#include <cstring>
#include <vector>

namespace smp {

/// `combine` over all elements, from the first on, as `map` makes them.
template <typename Map, typename Combine>
static double fold(DType dtype, std::span<const std::byte> bytes, Map map,
                   Combine combine) {
  const size_t count = bytes.size() / sizeOf(dtype);
  double result = map(elementAsDouble(dtype, bytes, 0));
  for (size_t i = 1; i < count; ++i)
    result = combine(result, map(elementAsDouble(dtype, bytes, i)));
  return result;
}

static double add(double a, double b) { return a + b; }
static double multiply(double a, double b) { return a * b; }
static double lower(double a, double b) {
  return std::isnan(a) || a < b ? a : b;
}
static double higher(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

double reduce(const TensorReduction &reduction, DType dtype,
              std::span<const std::byte> bytes) {
  const double count = double(bytes.size() / sizeOf(dtype));
  auto element = [&](double x) {
    return reduction.ofAbsolute ? std::abs(x) : x;
  };
  auto all = [&](auto map, auto combine) {
    return fold(dtype, bytes, map, combine);
  };
  auto variance = [&] {
    const double mean = all(element, add) / count;
    auto squared = [&](double x) {
      return (element(x) - mean) * (element(x) - mean);
    };
    return all(squared, add) / count;
  };
  switch (reduction.kind) {
  case TensorReduction::Kind::Min:
    return all(element, lower);
  case TensorReduction::Kind::Max:
    return all(element, higher);
  case TensorReduction::Kind::Mean:
    return all(element, add) / count;
  case TensorReduction::Kind::Std:
    return std::sqrt(variance());
  case TensorReduction::Kind::Variance:
    return variance();
  case TensorReduction::Kind::Sum:
    return all(element, add);
  case TensorReduction::Kind::Prod:
    return all(element, multiply);
  case TensorReduction::Kind::L1:
    return all([](double x) { return std::abs(x); }, add);
  case TensorReduction::Kind::L2:
    break;
  }
  return std::sqrt(all([](double x) { return x * x; }, add));
}

bool followsFromStatistics(const TensorReduction &reduction) {
  return reduction.kind != TensorReduction::Kind::Prod;
}

std::optional<double> reduce(const TensorReduction &reduction,
                             const TensorStatistics &all) {
  const bool isAbsolute = reduction.ofAbsolute;
  switch (reduction.kind) {
  case TensorReduction::Kind::Min:
    return isAbsolute ? all.absMin : all.min;
  case TensorReduction::Kind::Max:
    return isAbsolute ? all.absMax : all.max;
  case TensorReduction::Kind::Mean:
    return isAbsolute ? all.absMean() : all.mean();
  case TensorReduction::Kind::Std:
    return isAbsolute ? all.absStddev() : all.stddev();
  case TensorReduction::Kind::Variance:
    return isAbsolute ? all.absVariance() : all.variance();
  case TensorReduction::Kind::Sum:
    return isAbsolute ? all.absSum : all.sum;
  case TensorReduction::Kind::L1:
    return all.l1();
  case TensorReduction::Kind::L2:
    return all.l2();
  case TensorReduction::Kind::Prod:
    break;
  }
  return std::nullopt;
}

TensorStatistics statisticsOf(std::span<const std::byte> records,
                              uint64_t elements) {
  const size_t each =
      size_t(numStatisticsBlocks(int64_t(elements))) * kNumStatistics;
  std::vector<double> numbers(records.size() / sizeof(double));
  std::memcpy(numbers.data(), records.data(), records.size());
  TensorStatistics all;
  for (size_t at = 0; at < numbers.size(); at += each)
    all.add(
        TensorStatistics::of(std::span(numbers).subspan(at, each), elements));
  return all;
}

} // namespace smp
