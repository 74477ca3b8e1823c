// SPDX-License-Identifier: Apache-2.0
// Networks as programs for two devices of one core each, and what is measured
// of them and said by them.

#ifndef SMP_BENCH_PLANNING_PROGRAMS_H
#define SMP_BENCH_PLANNING_PROGRAMS_H

#include "smp/base/Status.h"
#include "smp/model/Costs.h"
#include <optional>
#include <string>

namespace smp::bench {

inline constexpr char kDevices[] = "cpu:0=0,cpu:1=1";
inline constexpr char kRankDevices[] = "0/cpu:0=0,1/cpu:0=1";

/// How a network is compiled.
struct ProgramChoice {
  std::string network;
  uint32_t microbatches = 1;
  int64_t partitions = 1;
  std::optional<Costs> costs = {};
};

Status compileTo(const std::string &path, const ProgramChoice &choice);

/// What the program says that a step takes.
StatusOr<double> predict(const std::string &path, uint32_t microbatches);

struct Prediction {
  double seconds = 0; ///< Of a step.
  double share = 0; ///< Which part of what stages take is of measured kernels.
};

/// The same had it been compiled with these costs, in which all devices are of
/// one kind, and been divided as it is.
StatusOr<Prediction> predictBy(const Costs &costs, const std::string &path,
                               uint32_t microbatches);

/// Costs of a program of one partition, which runs on both devices at once.
StatusOr<Costs> profile(const std::string &path, uint32_t microbatches,
                        uint32_t steps);

} // namespace smp::bench

#endif // SMP_BENCH_PLANNING_PROGRAMS_H
