// SPDX-License-Identifier: Apache-2.0
// A training of any size: what is saved is large, and steps take as long as is
// wanted.

#ifndef SMP_BENCH_LARGETRAINING_H
#define SMP_BENCH_LARGETRAINING_H

#include "TestPrograms.h"
#include "smp/checkpoint/CheckpointManager.h"

namespace smp::bench {

struct TrainingShape {
  uint32_t partitions = 1;
  uint32_t variables = 32;            ///< Parameters of each partition.
  uint64_t variableBytes = 32u << 20; ///< Of each; a multiple of 64.
  uint32_t work = 1;                  ///< How often the forward stage computes.
};

class LargeTraining {
public:
  /// Every rank has as many partitions. Null: one rank.
  explicit LargeTraining(const TrainingShape &shape,
                         Communicator *communicator = nullptr);

  SessionCore &session() { return *core; }
  /// Changes every parameter.
  void step();

private:
  test::ProgramMaker maker;
  test::TestTensor x;
  std::unique_ptr<SessionCore> core;
};

} // namespace smp::bench

#endif // SMP_BENCH_LARGETRAINING_H
