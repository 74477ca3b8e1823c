// SPDX-License-Identifier: Apache-2.0
#include "Pairs.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace smp::bench {

/// Of n ratios the median lies with 95 % between those that are so many places
/// from the least and from the greatest: the signs are binomial.
static size_t placesOfBounds(size_t count) {
  const double places = (double(count) - 1 - 1.96 * std::sqrt(count)) / 2;
  return size_t(std::max(places, 0.0));
}

static PairedRatio summaryOf(const std::vector<double> &all,
                             std::vector<double> theirs) {
  std::vector<double> ratios = all;
  std::ranges::sort(ratios);
  std::ranges::sort(theirs);
  const size_t places = placesOfBounds(ratios.size());
  return {ratios[ratios.size() / 2], ratios[places],
          ratios[ratios.size() - 1 - places], theirs[theirs.size() / 2], all};
}

PairedRatio ratioOfPairs(const std::function<double()> &ours,
                         const std::function<double()> &theirs,
                         double seconds) {
  constexpr size_t kLeast = 6;
  std::vector<double> ratios, plain;
  bool isFirst = false;
  for (double passed = 0; passed < seconds || ratios.size() < kLeast;
       isFirst = !isFirst) {
    double mine = isFirst ? ours() : 0;
    plain.push_back(theirs());
    if (!isFirst)
      mine = ours();
    ratios.push_back(mine / plain.back());
    passed += mine + plain.back();
  }
  return summaryOf(ratios, std::move(plain));
}

void printRatio(const PairedRatio &ratio, size_t steps) {
  std::printf("%.3f (%.3f to %.3f) of %.1f ms, %zu pairs", ratio.median,
              ratio.least, ratio.most, ratio.seconds / double(steps) * 1e3,
              ratio.all.size());
}

} // namespace smp::bench
