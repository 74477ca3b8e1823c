// SPDX-License-Identifier: Apache-2.0
// The mailboxes of one rank, one per lane.

#ifndef SMP_DRIVERS_RANKS_LANES_H
#define SMP_DRIVERS_RANKS_LANES_H

#include "Mailbox.h"
#include <memory>

namespace smp {

/// Lanes are numbered from 0 in the order in which they are opened. What comes
/// for one that is not open yet waits for it, and what comes for a closed one
/// is thrown away.
class Lanes {
public:
  /// How far another rank may be ahead with opening.
  static constexpr uint32_t kMostAhead = 64;
  Lanes(uint32_t rank, uint32_t size);

  /// For who brings messages; an error when the lane is too far ahead.
  StatusOr<std::shared_ptr<Mailbox>> find(uint32_t lane);
  /// Of all lanes.
  void lose(uint32_t from, const Status &why);
  /// The rank has closed its communicator, in `epoch` of lane 0, and by that
  /// all lanes that it has not said to have closed before.
  void leave(uint32_t from, uint64_t epoch);
  uint64_t waitingBytes(uint32_t from) const;

  /// The number of the next lane.
  uint32_t open();
  void close(uint32_t lane);

private:
  std::shared_ptr<Mailbox> makeBox() const;

  const uint32_t rank;
  mutable std::mutex lock;
  std::map<uint32_t, std::shared_ptr<Mailbox>> boxes; // The reader holds one.
  std::shared_ptr<Mailbox> closed;                    // It keeps nothing.
  uint32_t opened = 0;                                // How many were.
  std::vector<std::optional<Status>> gone; // By rank: why; ok: it left.
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_LANES_H
