// SPDX-License-Identifier: Apache-2.0
// Two ways of doing something, in pairs: what else a machine does moves both.

#ifndef SMP_BENCH_PAIRS_H
#define SMP_BENCH_PAIRS_H

#include <cstddef>
#include <functional>
#include <vector>

namespace smp::bench {

/// What ours takes beside theirs.
struct PairedRatio {
  double median = 0;
  double least = 0, most = 0; ///< The median lies between them with 95 %.
  double seconds = 0;         ///< Of theirs: the median.
  std::vector<double> all;    ///< Of each pair, as they came.
};

/// Does both, each of which gives the seconds that it took, one after the
/// other, until they have taken so many seconds together; each is the first of
/// every second pair. At least six pairs, which 95 % need.
PairedRatio ratioOfPairs(const std::function<double()> &ours,
                         const std::function<double()> &theirs, double seconds);

/// "1.031 (1.028 to 1.034) of 23.4 ms, 120 pairs", where pairs are of so many.
void printRatio(const PairedRatio &ratio, size_t steps = 1);

} // namespace smp::bench

#endif // SMP_BENCH_PAIRS_H
