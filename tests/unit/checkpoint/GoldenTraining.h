// SPDX-License-Identifier: Apache-2.0
// What golden checkpoints hold: a training of two ranks after three steps.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_GOLDENTRAINING_H
#define SMP_TESTS_UNIT_CHECKPOINT_GOLDENTRAINING_H

#include "RankTraining.h"

namespace smp::test {

inline constexpr int kGoldenSteps = 3;

struct GoldenTraining {
  /// Null: alone.
  explicit GoldenTraining(Communicator *communicator)
      : training(communicator) {}
  Checkpoint checkpoint() {
    return Checkpoint{{"model", training},
                      {"optimizer", training},
                      {"epoch", epoch},
                      {"position", position}};
  }

  RankTraining training;
  int64_t epoch = 0;
  std::string position;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_GOLDENTRAINING_H
