// SPDX-License-Identifier: Apache-2.0
#include "Pairs.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace smp::bench {

/// Of n ratios those n/2 -+ sqrt(n) places from the least are the bounds
/// between which the median lies with 95 % (the signs are binomial).
static PairedRatio summaryOf(std::vector<double> ratios,
                             std::vector<double> theirs) {
  std::ranges::sort(ratios);
  std::ranges::sort(theirs);
  const size_t middle = ratios.size() / 2,
               off = std::min(middle, size_t(std::sqrt(ratios.size())));
  return {ratios[middle], ratios[middle - off],
          ratios[std::min(middle + off, ratios.size() - 1)],
          theirs[theirs.size() / 2], ratios.size()};
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
  return summaryOf(std::move(ratios), std::move(plain));
}

void printRatio(const PairedRatio &ratio, size_t steps) {
  std::printf("%.3f (%.3f to %.3f) of %.1f ms, %zu pairs", ratio.median,
              ratio.least, ratio.most, ratio.seconds / double(steps) * 1e3,
              ratio.pairs);
}

} // namespace smp::bench
