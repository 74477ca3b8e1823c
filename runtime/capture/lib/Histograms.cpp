// SPDX-License-Identifier: Apache-2.0
#include "Histograms.h"
#include "smp/model/Elements.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace smp {

static std::vector<double> makeLimits() {
  std::vector<double> positive;
  for (double limit = 1e-12; limit < 1e20; limit *= 1.1)
    positive.push_back(limit);
  positive.push_back(std::numeric_limits<double>::max());
  std::vector<double> limits(positive.rbegin(), positive.rend());
  for (double &limit : limits)
    limit = -limit;
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

static const std::vector<double> &allLimits() {
  static const auto &limits = *new std::vector(makeLimits());
  return limits;
}

/// The bin that has the finite number; the last one also has its limit.
static size_t binOf(double number) {
  const std::vector<double> &limits = allLimits();
  const auto found = std::upper_bound(limits.begin(), limits.end(), number);
  return std::min(size_t(found - limits.begin()), limits.size() - 1);
}

/// Of a run of bins without an element the last limit.
static void addBins(const std::vector<double> &counts, Histogram &histogram) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const bool goesOn =
        counts[i] == 0 && i + 1 < counts.size() && counts[i + 1] == 0;
    if (goesOn)
      continue;
    histogram.limits.push_back(allLimits()[i]);
    histogram.counts.push_back(counts[i]);
  }
}

std::optional<Histogram> histogramOf(DType dtype,
                                     std::span<const std::byte> bytes) {
  if (dtype == DType::Bool)
    return std::nullopt;
  Histogram made;
  made.min = std::numeric_limits<double>::infinity();
  made.max = -made.min;
  std::vector<double> counts(allLimits().size());
  for (size_t i = 0, count = bytes.size() / sizeOf(dtype); i < count; ++i) {
    const double number = visitElement(
        dtype, bytes, i, [](auto element) { return double(element); });
    if (!std::isfinite(number))
      continue;
    made.min = std::min(made.min, number);
    made.max = std::max(made.max, number);
    made.sum += number;
    made.sumOfSquares += number * number;
    ++made.count;
    ++counts[binOf(number)];
  }
  if (made.count == 0)
    return std::nullopt;
  addBins(counts, made);
  return made;
}

} // namespace smp
