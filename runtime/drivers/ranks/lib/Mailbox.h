// SPDX-License-Identifier: Apache-2.0
// Messages that came for one rank, and who waits for which.

#ifndef SMP_DRIVERS_RANKS_MAILBOX_H
#define SMP_DRIVERS_RANKS_MAILBOX_H

#include "smp/device/Communicator.h"
#include <condition_variable>
#include <mutex>

namespace smp {

using MessageBytes = std::vector<std::byte>;

class Mailbox {
public:
  Mailbox(uint32_t rank, uint32_t size) : rank(rank), lostPeers(size) {}

  // For who brings messages.
  /// An empty vector with memory from an earlier message, where there is one.
  MessageBytes spareBuffer();
  void deliver(uint32_t from, MessageTag tag, MessageBytes bytes);
  /// No message of this rank will come any more.
  void lose(uint32_t from, const Status &why);
  /// Bytes that wait to be received.
  uint64_t waitingBytes() const;

  // For who waits.
  Status receive(uint32_t from, MessageTag tag, std::span<std::byte> bytes,
                 Deadline deadline);
  StatusOr<MessageBytes> receiveAny(uint32_t from, MessageTag tag,
                                    Deadline deadline);

  void beginEpoch(uint64_t epoch);
  uint64_t epoch() const;
  /// False when it had failed before, or is over.
  bool fail(uint64_t epoch, const Status &why);
  /// Why nothing may be sent to `peer` in `epoch`, or ok.
  Status sendable(uint32_t peer, uint64_t epoch) const;

  uint64_t progress() const;
  std::string waits() const;

private:
  struct Message {
    uint32_t from;
    MessageTag tag;
    MessageBytes bytes;
  };
  struct Wait {
    uint32_t from;
    MessageTag tag;
  };

  Status failureOf(uint64_t epoch) const;
  Status wait(std::unique_lock<std::mutex> &hold, const Wait &wanted,
              Deadline deadline, MessageBytes &bytes);
  bool take(const Wait &wanted, MessageBytes &bytes);
  std::string describeWaits() const;

  const uint32_t rank;
  mutable std::mutex lock;
  std::condition_variable changed;
  std::vector<Message> messages;
  std::vector<MessageBytes> spares;
  std::vector<Wait> waiting;
  std::vector<std::pair<uint64_t, Status>> failures; // Of epochs not over.
  std::vector<Status> lostPeers;
  uint64_t current = 0, moves = 0, bytesHeld = 0;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_MAILBOX_H
