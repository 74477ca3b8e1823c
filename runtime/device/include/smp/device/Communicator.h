// SPDX-License-Identifier: Apache-2.0
// Messages between the processes, or threads, that run one program together.

#ifndef SMP_DEVICE_COMMUNICATOR_H
#define SMP_DEVICE_COMMUNICATOR_H

#include "smp/base/Export.h"
#include "smp/base/Log.h"
#include "smp/base/Status.h"
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
/// The longest deadline: 31 years.
constexpr double kMostDeadlineSeconds = 1e9;
/// An error unless `seconds` is from 0 (never) to kMostDeadlineSeconds: what
/// every `deadlineSeconds` must be. Since 0.1.
SMP_API Status checkDeadline(double seconds);
/// `seconds` from now; 0: never.
SMP_API Deadline deadlineAfter(double seconds);

/// The shortest secret that ranks may share.
constexpr size_t kLeastSecretBytes = 16;
/// The longest message of a key whose size nobody planned.
constexpr uint64_t kMostUnplannedBytes = uint64_t(1) << 24;

/// How processes find each other and make sure who is who.
struct SocketOptions {
  uint32_t rank = 0;
  uint32_t size = 1;
  /// Where rank 0 listens: "tcp:host:port", or "unix:/path" on one machine. The
  /// same for all ranks. A socket file is for processes of its user alone; one
  /// that nobody serves is replaced, any other file is left as it is.
  std::string address;
  /// For all ranks to have met, and for the others to hear at the end that this
  /// one leaves. 0: for ever to meet, a minute to leave.
  double deadlineSeconds = 60;
  /// Ranks of different jobs turn each other away.
  std::string job = {};
  /// What all ranks run: SharedProgram::fingerprint(), or any number that all
  /// were given. Where two differ, the start ends on both sides at once.
  uint64_t program = 0;
  /// What this rank calls it in messages, such as the name of its file.
  std::string programName = {};
  /// What only ranks of the job know, the same bytes for all, at least
  /// kLeastSecretBytes. Each side of a connection proves that it knows it for a
  /// number that the other side drew; it is never sent. Nothing is encrypted:
  /// who can change packets on their way can still read and alter what ranks
  /// send, which only a tunnel prevents. Empty: none, and then only ranks of
  /// one machine meet.
  std::string secret = {};
  /// Lets ranks beyond this machine meet without a secret: whoever reaches the
  /// port can be one of them.
  bool allowNoSecret = false;
  /// Told of connections that are turned away, and at the end of ranks that do
  /// not answer; one call at a time, on the thread that connects or destroys.
  LogSink log = {};
};

/// The size of the messages of one key between this rank and `peer`, both ways.
struct MessageSize {
  uint32_t peer = 0;
  uint64_t key = 0;
  uint64_t bytes = 0;
};

/// A collective: what its error calls it, the message tag that all ranks give
/// it, and until when they are waited for. Where a name is used again in an
/// epoch, the tag's index counts.
struct Collective {
  std::string_view name;
  MessageTag tag;
  Deadline deadline;
};

/// Connects `size` ranks. Any thread may call anything at any time, but two
/// receives of the same message, or two collectives of one communicator, must
/// not run at once. Messages with the same tag arrive in the order they were
/// sent.
///
/// A rank that destroys its communicator leaves: the others get all that it
/// sent, and what they send it in an epoch that it had begun is thrown away.
/// The same is true of one of its lanes.
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

  /// From `epoch` on, messages of these keys have these sizes, and others at
  /// most kMostUnplannedBytes. send() refuses what is not so; a rank that sends
  /// it all the same is lost, before memory is taken for its message. Sizes of
  /// the call before stay for its epochs, those before it are forgotten.
  virtual void
  planMessages([[maybe_unused]] uint64_t epoch,
               [[maybe_unused]] std::span<const MessageSize> sizes) {}

  /// A conversation of its own between the same ranks: its epochs, messages,
  /// failures and plans, what it counts and what it waits for are no matter of
  /// this one. That a rank is lost is a matter of all. Every rank opens its
  /// lanes in the same order, as none has a number; none is more than 64 lanes
  /// ahead. A lane is destroyed before what it was opened from.
  virtual std::unique_ptr<Communicator> openLane() = 0;

  // Collectives: every rank calls the same one with the same key. When the
  // deadline passes, the error names the collective and who did not come.
  /// Returns once all ranks have called it.
  Status barrier(const Collective &call);
  /// Gives every rank the bytes of `root`.
  Status broadcast(uint32_t root, MessageTag tag, std::span<std::byte> bytes,
                   Deadline deadline);
  /// Gives every rank the bytes of all, by rank. Sizes may differ.
  StatusOr<std::vector<std::vector<std::byte>>>
  allGather(const Collective &call, std::span<const std::byte> bytes);
};

} // namespace smp

#endif // SMP_DEVICE_COMMUNICATOR_H
