// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Reduce.h"
#include "smp/model/Elements.h"
#include "smp/model/TensorStatistics.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace smp {

namespace {
using Values = std::vector<double>;
using Kind = TensorReduction::Kind;
} // namespace

/// Neumaier's: what a term loses is kept aside.
static double sumOf(const Values &values) {
  double sum = 0, lost = 0;
  for (const double value : values) {
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value
                                             : (value - next) + sum;
    sum = next;
  }
  return std::isfinite(sum) ? sum + lost : sum;
}

static double meanOf(const Values &values) {
  return sumOf(values) / double(values.size());
}

static double varianceOf(const Values &values) {
  const double mean = meanOf(values);
  Values squares;
  for (const double value : values)
    squares.push_back((value - mean) * (value - mean));
  return meanOf(squares);
}

/// NaN where there is one.
static double leastOf(const Values &values) {
  double least = values[0];
  for (const double value : values)
    least = std::isnan(least) || least < value ? least : value;
  return least;
}

static Values absolute(Values values) {
  for (double &value : values)
    value = std::abs(value);
  return values;
}

static double greatestOf(Values values) {
  for (double &value : values)
    value = -value;
  return -leastOf(values);
}

static double productOf(const Values &values) {
  double product = 1;
  for (const double value : values)
    product *= value;
  return product;
}

/// Scaled, so that no square overflows.
static double l2Of(const Values &values) {
  const double most = greatestOf(absolute(values));
  const double scale = most > 0 && std::isfinite(most) ? most : 1;
  Values squares;
  for (const double value : values)
    squares.push_back((value / scale) * (value / scale));
  return scale * std::sqrt(sumOf(squares));
}

static double quantileOf(Values values, double quantile) {
  for (const double value : values)
    if (std::isnan(value))
      return value;
  const double place = quantile * double(values.size() - 1);
  const auto below = values.begin() + std::ptrdiff_t(place);
  std::nth_element(values.begin(), below, values.end());
  const double part = place - std::floor(place);
  if (part == 0)
    return *below;
  const double above = *std::min_element(below + 1, values.end());
  return *below == above ? above : *below + part * (above - *below);
}

static double reduce(const TensorReduction &reduction, const Values &values) {
  switch (reduction.kind) {
  case Kind::Min:
    return leastOf(values);
  case Kind::Max:
    return greatestOf(values);
  case Kind::Mean:
    return meanOf(values);
  case Kind::Std:
    return std::sqrt(varianceOf(values));
  case Kind::Variance:
    return varianceOf(values);
  case Kind::Sum:
    return sumOf(values);
  case Kind::Prod:
    return productOf(values);
  case Kind::Quantile:
    return quantileOf(values, reduction.quantile);
  case Kind::Nans:
    return double(std::ranges::count_if(
        values, [](double value) { return std::isnan(value); }));
  case Kind::Infs:
    return double(std::ranges::count_if(
        values, [](double value) { return std::isinf(value); }));
  case Kind::L1:
    return sumOf(absolute(values));
  case Kind::L2:
    break;
  }
  return l2Of(values);
}

double reduce(const TensorReduction &reduction, DType dtype,
              std::span<const std::byte> bytes) {
  Values values(bytes.size() / sizeOf(dtype));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        visitElement(dtype, bytes, i, [](auto value) { return double(value); });
  return reduce(reduction,
                reduction.ofAbsolute ? absolute(std::move(values)) : values);
}

double reduce(const TensorReduction &reduction, const TensorStatistics &all) {
  const bool isAbsolute = reduction.ofAbsolute;
  switch (reduction.kind) {
  case Kind::Min:
    return isAbsolute ? all.absMin : all.min;
  case Kind::Max:
    return isAbsolute ? all.absMax : all.max;
  case Kind::Mean:
    return isAbsolute ? all.absMean() : all.mean();
  case Kind::Std:
    return isAbsolute ? all.absStddev() : all.stddev();
  case Kind::Variance:
    return isAbsolute ? all.absVariance() : all.variance();
  case Kind::Sum:
    return isAbsolute ? all.absSum : all.sum;
  case Kind::Nans:
    return double(all.nans);
  case Kind::Infs:
    return double(all.infs);
  case Kind::L1:
    return all.l1();
  case Kind::L2:
  case Kind::Prod: // Neither follows.
  case Kind::Quantile:
    break;
  }
  return all.l2();
}

} // namespace smp
