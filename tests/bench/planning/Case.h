// SPDX-License-Identifier: Apache-2.0
// One network, divided: what its steps should take, and take.

#ifndef SMP_BENCH_PLANNING_CASE_H
#define SMP_BENCH_PLANNING_CASE_H

#include "smp/base/Status.h"
#include "smp/model/Costs.h"
#include "smp/runtime/Session.h"
#include <string>
#include <vector>

namespace smp::bench {

/// Two devices of one core each.
inline constexpr char kDevices[] = "cpu:0=0,cpu:1=1";
inline constexpr char kRankDevices[] = "0/cpu:0=0,1/cpu:0=1";

struct CaseFigures {
  double predicted = 0;  ///< Seconds of a step, by costs of the whole program.
  double unmeasured = 0; ///< The same without costs.
  double measured = 0;   ///< Median of steps on both devices.
  double bySocket = 0;   ///< The same by two processes.
  /// Which part of the stages' predicted seconds is of kernels that were
  /// measured.
  double share = 0;

  double error() const { return predicted / measured - 1; }
};

/// Measures kernels of the whole program, compiles it for two devices with
/// these costs, and makes its steps; in turn, several times. Programs are left
/// in `folder`. `self`: this executable, which is started for a second rank.
StatusOr<CaseFigures> runCase(const std::string &network, uint32_t microbatches,
                              const std::string &folder,
                              const std::string &self);

/// What the second process does: makes steps of the program until the other one
/// has made its own.
Status runRank(const std::string &path, const std::string &address,
               uint32_t microbatches);

} // namespace smp::bench

#endif // SMP_BENCH_PLANNING_CASE_H
