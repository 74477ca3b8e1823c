// SPDX-License-Identifier: Apache-2.0
// One network, divided: what its steps should take, and take.

#ifndef SMP_BENCH_PLANNING_CASE_H
#define SMP_BENCH_PLANNING_CASE_H

#include "smp/base/Status.h"
#include <string>
#include <vector>

namespace smp::bench {

/// Seconds of steps of so many microbatches: medians of rounds.
struct CaseFigures {
  uint32_t microbatches = 0;
  double predicted = 0;  ///< By costs of the whole program.
  double unmeasured = 0; ///< The same without costs.
  double measured = 0;   ///< On both devices.
  double ratio = 1;      ///< Of what is predicted to that, of the same round.
  double bySocket = 0;   ///< The same by two processes.
  /// Which part of the stages' predicted seconds is of kernels that were
  /// measured.
  double share = 0;
  /// Of the steps on both devices, in which part something else had the
  /// processor.
  double disturbed = 0;

  double error() const { return ratio - 1; }
};

/// Measures kernels of the whole program, compiles it for two devices with
/// these costs, and makes its steps of 8 and of 32 microbatches; in turn,
/// several times. Programs are left in `folder`. `self`: this executable, which
/// is started for a second rank.
StatusOr<std::vector<CaseFigures>> runCases(const std::string &network,
                                            const std::string &folder,
                                            const std::string &self);

/// What the second process does: makes steps of the program until the other one
/// has made its own.
Status runRank(const std::string &path, const std::string &address,
               uint32_t microbatches);

} // namespace smp::bench

#endif // SMP_BENCH_PLANNING_CASE_H
