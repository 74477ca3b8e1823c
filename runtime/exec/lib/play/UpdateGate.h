// SPDX-License-Identifier: Apache-2.0
// Nobody changes variables before all microbatches are done everywhere.

#ifndef SMP_EXEC_UPDATEGATE_H
#define SMP_EXEC_UPDATEGATE_H

#include "../step/CountWord.h"
#include "smp/device/Changes.h"
#include "smp/device/Communicator.h"
#include <functional>

namespace smp {

/// All partitions of a Session meet here before a step's update, so that a step
/// which fails before has changed no variable. Nobody passes while variables
/// are being read.
class UpdateGate {
public:
  /// Borrows the communicator; null: one rank. Ranks meet under `key`.
  UpdateGate(Communicator *communicator, uint64_t key)
      : communicator(communicator), key(key) {}

  /// Before a step, while nobody waits. `partitions` of this rank will come.
  void beginStep(uint64_t number, uint32_t partitions);
  /// Waits until all partitions of all ranks have come: then the gate is open.
  /// Ends before that when the step is over, or with an error: of another rank,
  /// or Cancelled where somebody has refused.
  Status pass();
  /// What the last partition of this rank does, or nobody where it has none:
  /// waits for who reads, meets the other ranks and opens the gate.
  Status open();
  /// Ends all waits: the step is over, or a partition will not come.
  void endWaits() {
    opened.end();
    readings.note();
  }
  /// Whether somebody may have begun to change variables in this step.
  bool wasOpened() const { return phase == Phase::Open; }
  /// The gate stays closed in this step. False: it is open, or other ranks have
  /// been told that this one makes the update. Any thread.
  bool refuse();

  /// Somebody reads variables while steps run. Begins between two steps.
  void beginReading() { readers.fetch_add(1); }
  void endReading();
  bool isReadFrom() const { return readers.load() > 0; }
  /// Whether somebody waits for who reads; `told` is called when that begins.
  /// Set before anybody reads.
  bool isWaitedFor() const { return waiters.load() > 0; }
  void onWait(std::function<void()> told) { tell = std::move(told); }
  /// For who changes variables between two steps; false: the deadline passed.
  bool awaitReaders(Deadline deadline);
  /// How many steps have come to change variables.
  uint64_t openings() const { return passed.load(); }
  /// What steps have waited for readers.
  double heldSeconds() const { return held.load(std::memory_order_relaxed); }

private:
  enum class Phase : uint8_t { Closed, Promised, Open, Refused };
  bool awaitReaders();
  template <typename Wait>
  void waitWhileReadFrom(const Wait &wait);

  Communicator *communicator;
  const uint64_t key;
  std::atomic<uint32_t> missing{0};
  alignas(64) CountWord opened;
  std::atomic<Phase> phase{Phase::Closed};
  uint64_t epoch = 0;
  std::atomic<uint32_t> readers{0}, waiters{0};
  std::atomic<uint64_t> passed{0};
  std::function<void()> tell;
  Changes readings;
  std::atomic<double> held{0};
};

} // namespace smp

#endif // SMP_EXEC_UPDATEGATE_H
