// SPDX-License-Identifier: Apache-2.0
// Where two trials part.

#ifndef SMP_TOOLS_SMP_TRIAL_DIFFTRIALS_H
#define SMP_TOOLS_SMP_TRIAL_DIFFTRIALS_H

#include "smp/trial/Trial.h"

namespace smp {

/// The first step of all, and in it the first tensor in the order in which they
/// were saved, that is not the same bits in both.
struct TrialDifference {
  uint64_t globalStep = 0;
  ModeStep step;
  std::string worker, tensor; ///< Empty: the step is in one of them only.
  std::string what;
};

struct TrialComparison {
  std::optional<TrialDifference> difference; ///< None: all are equal.
  size_t steps = 0, tensors = 0; ///< Compared, the one that differs included.
};

/// Compares complete steps, values and reductions, of all workers. A step, a
/// worker or a tensor that only one has is a difference. `regex` chooses
/// tensors; empty: all.
StatusOr<TrialComparison> diffTrials(const Trial &one, const Trial &other,
                                     const std::string &regex);

} // namespace smp

#endif // SMP_TOOLS_SMP_TRIAL_DIFFTRIALS_H
