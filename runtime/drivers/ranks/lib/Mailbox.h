// SPDX-License-Identifier: Apache-2.0
// Messages that came for one rank on one lane, and who waits for which.

#ifndef SMP_DRIVERS_RANKS_MAILBOX_H
#define SMP_DRIVERS_RANKS_MAILBOX_H

#include "FrameReader.h"
#include "MessagePlan.h"
#include "smp/device/Changes.h"
#include <map>
#include <mutex>

namespace smp {

class Mailbox {
public:
  Mailbox(uint32_t rank, uint32_t size) : rank(rank), peers(size), plan(rank) {}

  // For who brings messages.
  /// Memory for a message, that of an earlier one where there is one: all of it
  /// if its size is planned, else for its beginning. An error when the plan has
  /// no such message.
  StatusOr<MessageBytes> accept(uint32_t from, MessageTag tag, uint64_t bytes);
  void deliver(uint32_t from, MessageTag tag, MessageBytes bytes);
  /// No message of this rank will come any more, nor can one be sent to it.
  void lose(uint32_t from, const Status &why);
  /// The rank closes its communicator: it has sent all that it had to, and
  /// wants nothing of epochs up to `epoch` any more.
  void leave(uint32_t from, uint64_t epoch);
  /// Memory that what came from this rank takes until it is received.
  uint64_t waitingBytes(uint32_t from) const;

  // For who waits.
  Status receive(uint32_t from, MessageTag tag, std::span<std::byte> bytes,
                 Deadline deadline);
  StatusOr<MessageBytes> receiveAny(uint32_t from, MessageTag tag,
                                    Deadline deadline);

  // For who sends.
  /// Whether `peer` still wants messages of `epoch`; an error when none may be
  /// sent.
  StatusOr<bool> wants(uint32_t peer, uint64_t epoch) const;
  /// The same when a connection broke, once it is known whether the peer had
  /// left before; no longer than the deadline, after which it is lost for
  /// `why`.
  StatusOr<bool> wantsAfterBreak(uint32_t peer, uint64_t epoch,
                                 const Status &why, Deadline deadline);
  /// An error when the plan has no such message.
  Status checkSize(uint32_t to, MessageTag tag, uint64_t bytes) const;

  void planMessages(uint64_t epoch, std::span<const MessageSize> sizes);
  void beginEpoch(uint64_t epoch);
  uint64_t epoch() const;
  /// False when it had failed before, or is over. `by` brought the failure.
  bool fail(uint32_t by, uint64_t epoch, const Status &why);
  bool hasFailed(uint64_t epoch) const;
  /// Whether there is a connection to say something on.
  bool isReachable(uint32_t peer) const;

  uint64_t progress() const;
  std::string waits() const;

private:
  /// Of a message; those of epochs that are over come first.
  struct Place {
    uint64_t epoch;
    uint32_t from;
    uint64_t key;
    uint32_t index;
    auto operator<=>(const Place &) const = default;
  };
  struct Wait {
    uint32_t from;
    MessageTag tag;
  };
  struct Failure {
    uint32_t by;
    Status why;
  };
  struct Peer {
    Status lost;                    // Why; ok while it is not.
    std::optional<uint64_t> leftAt; // The epoch in which it left.
    uint64_t bytesHeld = 0;
  };

  Status failureOf(uint64_t epoch) const;
  Status goneFor(uint32_t peer) const;
  StatusOr<bool> wantsNow(uint32_t peer, uint64_t epoch) const;
  Status wait(std::unique_lock<std::mutex> &hold, const Wait &wanted,
              Deadline deadline, MessageBytes &bytes);
  bool waitForChange(std::unique_lock<std::mutex> &hold, Deadline deadline);
  bool take(const Wait &wanted, MessageBytes &bytes);
  MessageBytes takeSpare(uint64_t bytes);
  void keepSpare(MessageBytes memory);
  std::string describeWaits() const;

  const uint32_t rank;
  mutable std::mutex lock;
  Changes changes;
  std::multimap<Place, MessageBytes> messages; // Of one place as they came.
  std::vector<MessageBytes> spares;            // The oldest first.
  std::vector<Wait> waiting;
  std::map<uint64_t, Failure> failures; // By epoch, of those not over.
  std::vector<Peer> peers;
  MessagePlan plan;
  uint64_t current = 0, moves = 0;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_MAILBOX_H
