// SPDX-License-Identifier: Apache-2.0
#include "TrialState.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/model/Elements.h"
#include <algorithm>
#include <cmath>

namespace smp {

namespace {
using Values = std::vector<double>;

double sumOf(const Values &values) {
  // Neumaier's: what a term loses is kept aside.
  double sum = 0, lost = 0;
  for (const double value : values) {
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value
                                             : (value - next) + sum;
    sum = next;
  }
  return std::isfinite(sum) ? sum + lost : sum;
}

double meanOf(const Values &values) {
  return sumOf(values) / double(values.size());
}

double varianceOf(const Values &values) {
  const double mean = meanOf(values);
  Values squares;
  for (const double value : values)
    squares.push_back((value - mean) * (value - mean));
  return meanOf(squares);
}

/// Of `pick(one, other)`; NaN where there is one.
template <typename Pick>
double extremeOf(const Values &values, Pick pick) {
  double extreme = values[0];
  for (const double value : values) {
    if (std::isnan(value))
      return value;
    extreme = pick(extreme, value);
  }
  return extreme;
}

double minOf(const Values &values) {
  return extremeOf(values, [](double a, double b) { return std::min(a, b); });
}
double maxOf(const Values &values) {
  return extremeOf(values, [](double a, double b) { return std::max(a, b); });
}

double prodOf(const Values &values) {
  double product = 1;
  for (const double value : values)
    product *= value;
  return product;
}

double l1Of(const Values &values) {
  Values sizes;
  for (const double value : values)
    sizes.push_back(std::abs(value));
  return sumOf(sizes);
}

/// Scaled, so that no square overflows.
double l2Of(const Values &values) {
  double most = 0;
  for (const double value : values)
    most = std::max(most, std::abs(value));
  const double scale = most > 0 && std::isfinite(most) ? most : 1;
  Values squares;
  for (const double value : values)
    squares.push_back((value / scale) * (value / scale));
  return scale * std::sqrt(sumOf(squares));
}

struct Operation {
  std::string_view name;
  double (*of)(const Values &);
};
constexpr Operation kOperations[] = {
    {"min", minOf},
    {"max", maxOf},
    {"mean", meanOf},
    {"std", [](const Values &values) { return std::sqrt(varianceOf(values)); }},
    {"variance", varianceOf},
    {"sum", sumOf},
    {"prod", prodOf},
    {"l1", l1Of},
    {"l2", l2Of},
};

const Operation *find(const StoredReduction &reduction) {
  const auto *found =
      std::ranges::find(kOperations, reduction.operation, &Operation::name);
  return found == std::end(kOperations) ? nullptr : found;
}
} // namespace

Status checkReduction(const StoredReduction &reduction) {
  if (find(reduction))
    return Status();
  return invalidArgument(
      "no reduction " + quote(reduction.text()) + "; there are " +
      join(kOperations, ", ",
           [](const Operation &one) { return std::string(one.name); }) +
      ", also with abs_ before");
}

double reduce(const StoredReduction &reduction, const EventRecord &record) {
  Values values(size_t(record.type.elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = visitElement(record.type.dtype, record.bytes, i,
                             [](auto value) { return double(value); });
    if (reduction.isAbsolute)
      values[i] = std::abs(values[i]);
  }
  return find(reduction)->of(values);
}

} // namespace smp
