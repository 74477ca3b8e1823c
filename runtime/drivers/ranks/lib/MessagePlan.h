// SPDX-License-Identifier: Apache-2.0
// Which messages may come, and how large they are.

#ifndef SMP_DRIVERS_RANKS_MESSAGEPLAN_H
#define SMP_DRIVERS_RANKS_MESSAGEPLAN_H

#include "smp/device/Communicator.h"

namespace smp {

/// What Communicator::planMessages() was told, the last two times.
class MessagePlan {
public:
  explicit MessagePlan(uint32_t rank) : rank(rank) {}

  void add(uint64_t epoch, std::vector<MessageSize> sizes);
  /// Whether the size of such a message is known.
  bool knows(uint32_t peer, MessageTag tag) const { return find(peer, tag); }
  enum class Way : uint8_t { Sent, Received };
  /// Whether a message to or from `peer` may be so large. The error of one that
  /// was received does not name the peer.
  Status check(uint32_t peer, MessageTag tag, uint64_t bytes, Way way) const;

private:
  struct Part {
    uint64_t since = 0;             // The first epoch it is for.
    std::vector<MessageSize> sizes; // By peer and key.
  };
  const MessageSize *find(uint32_t peer, MessageTag tag) const;

  const uint32_t rank;
  Part before, latest;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_MESSAGEPLAN_H
