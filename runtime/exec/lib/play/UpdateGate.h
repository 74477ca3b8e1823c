// SPDX-License-Identifier: Apache-2.0
// Nobody changes variables before all microbatches are done everywhere.

#ifndef SMP_EXEC_UPDATEGATE_H
#define SMP_EXEC_UPDATEGATE_H

#include "../step/CountWord.h"
#include "smp/device/Communicator.h"

namespace smp {

/// All partitions of a Session meet here before a step's update, so that a step
/// which fails before has changed no variable.
class UpdateGate {
public:
  /// Borrows the communicator; null: one rank. Ranks meet under `key`.
  UpdateGate(Communicator *communicator, uint64_t key)
      : communicator(communicator), key(key) {}

  /// Before a step, while nobody waits. `partitions` of this rank will come.
  void beginStep(uint64_t number, uint32_t partitions);
  /// Waits until all partitions of all ranks have come: then the gate is open.
  /// Ends before that when the step is over, or with an error of another rank.
  Status pass();
  /// What the last partition of this rank does, or nobody where it has none:
  /// meets the other ranks and opens the gate.
  Status open();
  /// Ends all waits: the step is over, or a partition will not come.
  void endWaits() { opened.end(); }
  /// Whether somebody may have begun to change variables in this step.
  bool wasOpened() const { return isOpen; }

private:
  Communicator *communicator;
  const uint64_t key;
  std::atomic<uint32_t> missing{0};
  alignas(64) CountWord opened;
  std::atomic<bool> isOpen{false};
  uint64_t epoch = 0;
};

} // namespace smp

#endif // SMP_EXEC_UPDATEGATE_H
