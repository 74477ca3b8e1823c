// SPDX-License-Identifier: Apache-2.0
// No rank runs far ahead of another.

#ifndef SMP_EXEC_PACE_H
#define SMP_EXEC_PACE_H

#include "smp/device/Communicator.h"

namespace smp {

/// All ranks meet at the beginning of every kMostAhead-th step, so that what
/// a rank sends to one that sends it nothing waits there for no more steps than
/// that. At every other step a rank tells the others that it goes on: who waits
/// to meet it sees so, and takes no slow rank for one that has stopped. Steps
/// are counted as they are called, whatever becomes of them: so all ranks count
/// the same.
class Pace {
public:
  static constexpr uint32_t kMostAhead = 16;
  /// Borrows the communicator; null: one rank.
  explicit Pace(Communicator *communicator) : communicator(communicator) {}

  void beginStep(uint64_t number);
  /// Meets the others if this step is one in which they meet, else tells them
  /// that it has begun; ends before that when the step is over, or with an
  /// error of another rank.
  Status keep();

private:
  Communicator *communicator;
  uint64_t epoch = 0, steps = 0;
};

} // namespace smp

#endif // SMP_EXEC_PACE_H
