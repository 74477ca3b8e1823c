// SPDX-License-Identifier: Apache-2.0
// Messages between the processes, or threads, that run one program together.

#ifndef SMP_DEVICE_COMMUNICATOR_H
#define SMP_DEVICE_COMMUNICATOR_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace smp {

/// Names a message between two ranks. Epochs group messages: what belongs to an
/// epoch that is over is thrown away.
struct MessageTag {
  uint64_t epoch = 0;
  uint64_t key = 0;
  uint32_t index = 0;
  bool operator==(const MessageTag &) const = default;
};

/// Until when a call waits. Never by default.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;
/// `seconds` from now; not above 0: never.
SMP_API Deadline deadlineAfter(double seconds);

/// How processes find each other.
struct SocketOptions {
  uint32_t rank = 0;
  uint32_t size = 1;
  /// Where rank 0 listens: "tcp:host:port", or "unix:/path" on one machine. The
  /// same for all ranks.
  std::string address;
  /// For all ranks to have met.
  double deadlineSeconds = 60;
  /// Ranks of different jobs do not talk to each other. This is against
  /// mistakes: nothing is encrypted or proven, so use a network that you trust.
  std::string job;
};

/// Connects `size` ranks. Any thread may call anything at any time, but two
/// receives of the same message, or two collectives of one communicator, must
/// not run at once. Messages with the same tag arrive in the order they were
/// sent.
class SMP_API Communicator {
public:
  virtual ~Communicator() = default;
  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;

  /// `bytes` may be changed when it returns; the message may not have arrived.
  virtual Status send(uint32_t to, MessageTag tag,
                      std::span<const std::byte> bytes, Deadline deadline) = 0;
  /// Waits for the message and copies it; it must have exactly this size.
  virtual Status receive(uint32_t from, MessageTag tag,
                         std::span<std::byte> bytes, Deadline deadline) = 0;
  /// The same for a message whose size is not known.
  virtual StatusOr<std::vector<std::byte>>
  receiveAny(uint32_t from, MessageTag tag, Deadline deadline) = 0;

  /// Starts an epoch; epochs only grow. Waits for earlier epochs end, their
  /// messages are dropped, and a rank's failure in them is forgotten.
  virtual void beginEpoch(uint64_t epoch) = 0;
  /// The one begun last.
  virtual uint64_t epoch() const = 0;
  /// Tells every rank, this one too, that `epoch` cannot be completed: waits
  /// for it, present and future, end with `why`.
  virtual void fail(uint64_t epoch, const Status &why) = 0;

  /// Changes when a message comes or goes.
  virtual uint64_t progress() const = 0;
  /// "waits for rank 1, ...": empty when nothing waits.
  virtual std::string waits() const = 0;

  // Collectives: every rank calls the same one with the same key.
  /// Returns once all ranks have called it.
  Status barrier(MessageTag tag, Deadline deadline);
  /// Gives every rank the bytes of `root`.
  Status broadcast(uint32_t root, MessageTag tag, std::span<std::byte> bytes,
                   Deadline deadline);
  /// Gives every rank the bytes of all, by rank. Sizes may differ.
  StatusOr<std::vector<std::vector<std::byte>>>
  allGather(MessageTag tag, std::span<const std::byte> bytes,
            Deadline deadline);
};

} // namespace smp

#endif // SMP_DEVICE_COMMUNICATOR_H
