// SPDX-License-Identifier: Apache-2.0
// Rank 0 says what all ranks save.

#ifndef SMP_CHECKPOINT_SAVEORDERS_H
#define SMP_CHECKPOINT_SAVEORDERS_H

#include "smp/device/Communicator.h"

namespace smp {

/// What becomes of a call that asks for a save.
struct SaveVerdict {
  enum Kind : uint8_t { Make, Space, NotDue };
  Kind kind = Make;
  uint64_t replaced = 0; ///< The call that gives its place; 0: none.
};

/// Ranks are not as far with their saves as each other, so that only one of
/// them can say which save is left out: rank 0, which waits for nobody to say
/// so. It also says which save is made next; the others begin none before.
class SaveOrders {
public:
  /// Borrows the lane, which is for nothing else; null: one rank.
  SaveOrders(Communicator *lane, double deadlineSeconds)
      : lane(lane), seconds(deadlineSeconds) {}
  /// Whether this rank decides.
  bool isFirst() const { return !lane || lane->rank() == 0; }

  /// On the thread that asks, for each call. Rank 0's `mine` is what all get.
  StatusOr<SaveVerdict> decide(uint64_t call, SaveVerdict mine);
  /// On the thread that saves: the call whose save is made next, which is
  /// `mine` of rank 0.
  StatusOr<uint64_t> next(uint64_t mine);

private:
  StatusOr<uint64_t> hear(MessageTag tag, uint64_t mine);

  Communicator *lane;
  double seconds;
  uint32_t begun = 0;
};

} // namespace smp

#endif // SMP_CHECKPOINT_SAVEORDERS_H
