// SPDX-License-Identifier: Apache-2.0
// One training, cut into any number of partitions on any number of ranks.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_LAYEREDTRAINING_H
#define SMP_TESTS_UNIT_CHECKPOINT_LAYEREDTRAINING_H

#include "CheckpointHelpers.h"
#include "RankThreads.h"

namespace smp::test {

inline constexpr uint32_t kLayers = 4;

/// Four layers, in this order on up to four partitions. Layer i has a parameter
/// w<i> and a slot w<i>.m of the optimizer, random f32[rows x 1024], and a
/// state s<i>, to which each microbatch adds its input. Losses depend on the
/// parameters, and these on all that is kept and on the data, of which every
/// step has a batch of its own. No partition uses `unused` and `key`.
class LayeredTraining : public Trained {
public:
  /// Partition p is on rank p mod the number of ranks; null: all are here.
  LayeredTraining(uint32_t partitions, int64_t rows,
                  Communicator *communicator = nullptr);

  /// Makes the step that comes after those that were made; gives its losses.
  StatusOr<std::vector<float>> train();
};

/// What the training is, step by step, on one partition of one rank.
struct LayeredRun {
  LayeredRun(int steps, int64_t rows);

  std::vector<Values> values;             ///< Before each step, and at the end.
  std::vector<std::vector<float>> losses; ///< Of each step.
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_LAYEREDTRAINING_H
