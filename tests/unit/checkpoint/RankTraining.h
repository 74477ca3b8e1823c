// SPDX-License-Identifier: Apache-2.0
// A training whose variables are on several partitions, alone or on ranks.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_RANKTRAINING_H
#define SMP_TESTS_UNIT_CHECKPOINT_RANKTRAINING_H

#include "CheckpointHelpers.h"
#include "RankThreads.h"

namespace smp::test {

inline constexpr uint32_t kPartitions = 3;

/// A Session of a program of three partitions: each has a parameter w<i>, a
/// slot w<i>.m of the optimizer, both changed by every step, and a parameter
/// fixed<i> that it only reads. `unused` is a parameter that nobody reads.
class RankTraining : public Trained {
public:
  /// Null: all partitions are here. Else rank 0 has partitions 0 and 2, rank 1
  /// partition 1, and others watch.
  explicit RankTraining(Communicator *communicator,
                        const std::string &driver = "cpu");

  /// A step, in which the program itself changes its variables.
  void train();
};

/// The values after so many steps of one rank.
const Values &valuesAfter(int steps);
/// That the rank's values are those of one rank after so many steps.
void expectAfter(RankTraining &training, int steps);

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_RANKTRAINING_H
