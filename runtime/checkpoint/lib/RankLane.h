// SPDX-License-Identifier: Apache-2.0
// The ranks that save or restore together.

#ifndef SMP_CHECKPOINT_RANKLANE_H
#define SMP_CHECKPOINT_RANKLANE_H

#include "smp/checkpoint/Checkpoint.h"
#include "smp/device/RankGroup.h"

namespace smp {

/// The lanes of a Checkpoint's ranks.
class RankLane {
public:
  /// Every rank opens those of its Checkpoints in the same order.
  static StatusOr<RankLane> open(const Checkpoint &checkpoint);
  /// For one save or restore. Its number is the same on all ranks, and higher
  /// than those before.
  RankGroup meet(uint64_t number, uint32_t first = 0) const;
  uint32_t size() const { return lane ? lane->size() : 1; }
  uint32_t rank() const { return lane ? lane->rank() : 0; }
  /// For SaveOrders; null: one rank.
  Communicator *orders() const { return orderLane.get(); }
  double deadlineSeconds() const { return seconds; }

private:
  std::unique_ptr<Communicator> lane, orderLane; // Null: one rank.
  double seconds = 0;
};

/// For how much longer ranks are waited for that read or write so many bytes.
double secondsFor(uint64_t bytes);

} // namespace smp

#endif // SMP_CHECKPOINT_RANKLANE_H
