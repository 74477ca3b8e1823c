// SPDX-License-Identifier: Apache-2.0
#include "Mailbox.h"
#include <algorithm>
#include <cstring>

namespace smp {

using Hold = std::lock_guard<std::mutex>;

/// What a message takes beside its bytes: those without any count too.
static constexpr uint64_t kOwnBytes = 128;
/// Of a message whose size only its sender says.
static constexpr uint64_t kFirstBytes = 1 << 16;

//===----------------------------------------------------------------------===//
// Bringing
//===----------------------------------------------------------------------===//

StatusOr<MessageBytes> Mailbox::accept(uint32_t from, MessageTag tag,
                                       uint64_t bytes) {
  Hold hold(lock);
  SMP_RETURN_IF_ERROR(plan.check(from, tag, bytes, MessagePlan::Way::Received));
  MessageBytes memory = takeSpare(bytes);
  memory.resize(plan.knows(from, tag) ? bytes : std::min(bytes, kFirstBytes));
  return memory;
}

/// Memory of an earlier message that fits this one; empty: there is none.
MessageBytes Mailbox::takeSpare(uint64_t bytes) {
  const auto fits = std::find_if(
      spares.begin(), spares.end(), [&](const MessageBytes &spare) {
        return spare.capacity() >= bytes && spare.capacity() / 2 <= bytes;
      });
  if (fits == spares.end() || !bytes)
    return {};
  MessageBytes memory = std::move(*fits);
  spares.erase(fits);
  return memory;
}

void Mailbox::keepSpare(MessageBytes memory) {
  constexpr size_t kSpares = 16;
  if (!memory.capacity())
    return;
  if (spares.size() == kSpares)
    spares.erase(spares.begin());
  spares.push_back(std::move(memory));
}

void Mailbox::deliver(uint32_t from, MessageTag tag, MessageBytes bytes) {
  {
    Hold hold(lock);
    ++moves;
    if (tag.epoch < current)
      return;
    peers[from].bytesHeld += bytes.capacity() + kOwnBytes;
    messages.emplace(Place{tag.epoch, from, tag.key, tag.index},
                     std::move(bytes));
  }
  changes.note();
}

void Mailbox::lose(uint32_t from, const Status &why) {
  {
    Hold hold(lock);
    if (peers[from].lost.ok() && !peers[from].leftAt)
      peers[from].lost = why;
  }
  changes.note();
}

void Mailbox::leave(uint32_t from, uint64_t epoch) {
  {
    Hold hold(lock);
    Peer &peer = peers[from];
    if (peer.lost.ok())
      peer.leftAt = std::max(peer.leftAt.value_or(0), epoch);
  }
  changes.note();
}

uint64_t Mailbox::waitingBytes(uint32_t from) const {
  Hold hold(lock);
  return peers[from].bytesHeld;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

bool Mailbox::take(const Wait &wanted, MessageBytes &bytes) {
  const Place place{wanted.tag.epoch, wanted.from, wanted.tag.key,
                    wanted.tag.index};
  const auto found = messages.lower_bound(place); // The first that came.
  if (found == messages.end() || found->first != place)
    return false;
  bytes = std::move(found->second);
  peers[wanted.from].bytesHeld -= bytes.capacity() + kOwnBytes;
  messages.erase(found);
  ++moves;
  return true;
}

Status Mailbox::failureOf(uint64_t epoch) const {
  if (const auto found = failures.find(epoch); found != failures.end())
    return found->second.why;
  if (epoch < current)
    return Status(StatusCode::Cancelled,
                  "epoch " + std::to_string(epoch) + " is over");
  return Status();
}

/// Why nothing more comes from the peer.
Status Mailbox::goneFor(uint32_t peer) const {
  return peers[peer].leftAt ? unavailable("rank " + std::to_string(peer) +
                                          " has closed its communicator")
                            : peers[peer].lost;
}

/// Until something changes; false when the deadline passed first.
bool Mailbox::waitForChange(std::unique_lock<std::mutex> &hold,
                            Deadline deadline) {
  const uint32_t seen = changes.now();
  hold.unlock();
  const bool inTime = changes.waitBeyond(seen, deadline);
  hold.lock();
  return inTime;
}

/// Failures come before messages, so that a lost step ends at once.
Status Mailbox::wait(std::unique_lock<std::mutex> &hold, const Wait &wanted,
                     Deadline deadline, MessageBytes &bytes) {
  while (true) {
    SMP_RETURN_IF_ERROR(failureOf(wanted.tag.epoch));
    if (take(wanted, bytes))
      return Status();
    SMP_RETURN_IF_ERROR(goneFor(wanted.from));
    waiting.push_back(wanted);
    const bool inTime = waitForChange(hold, deadline);
    const std::string waits = inTime ? std::string() : describeWaits();
    waiting.erase(std::find_if(waiting.begin(), waiting.end(), [&](Wait &one) {
      return one.from == wanted.from && one.tag == wanted.tag;
    }));
    if (!inTime && !take(wanted, bytes))
      return Status(StatusCode::DeadlineExceeded,
                    "no message of rank " + std::to_string(wanted.from) +
                        " came in time: " + waits);
    if (!inTime)
      return Status();
  }
}

Status Mailbox::receive(uint32_t from, MessageTag tag,
                        std::span<std::byte> bytes, Deadline deadline) {
  std::unique_lock<std::mutex> hold(lock);
  MessageBytes message;
  SMP_RETURN_IF_ERROR(wait(hold, {from, tag}, deadline, message));
  const size_t size = message.size();
  if (size == bytes.size() && size)
    std::memcpy(bytes.data(), message.data(), size);
  keepSpare(std::move(message));
  hold.unlock();
  changes.note(); // There is room again.
  if (size != bytes.size())
    return invalidArgument("rank " + std::to_string(from) + " sent " +
                           std::to_string(size) + " bytes where rank " +
                           std::to_string(rank) + " expects " +
                           std::to_string(bytes.size()));
  return Status();
}

StatusOr<MessageBytes> Mailbox::receiveAny(uint32_t from, MessageTag tag,
                                           Deadline deadline) {
  std::unique_lock<std::mutex> hold(lock);
  MessageBytes message;
  SMP_RETURN_IF_ERROR(wait(hold, {from, tag}, deadline, message));
  return message;
}

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

StatusOr<bool> Mailbox::wantsNow(uint32_t peer, uint64_t epoch) const {
  SMP_RETURN_IF_ERROR(failureOf(epoch));
  if (peers[peer].leftAt && epoch <= *peers[peer].leftAt)
    return false;
  SMP_RETURN_IF_ERROR(goneFor(peer));
  return true;
}

StatusOr<bool> Mailbox::wants(uint32_t peer, uint64_t epoch) const {
  Hold hold(lock);
  return wantsNow(peer, epoch);
}

StatusOr<bool> Mailbox::wantsAfterBreak(uint32_t peer, uint64_t epoch,
                                        const Status &why, Deadline deadline) {
  std::unique_lock<std::mutex> hold(lock);
  while (true) {
    StatusOr<bool> wanted = wantsNow(peer, epoch);
    if (!wanted.ok() || !*wanted)
      return wanted;
    if (!waitForChange(hold, deadline))
      peers[peer].lost = why;
  }
}

Status Mailbox::checkSize(uint32_t to, MessageTag tag, uint64_t bytes) const {
  Hold hold(lock);
  return plan.check(to, tag, bytes, MessagePlan::Way::Sent);
}

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

void Mailbox::planMessages(uint64_t epoch, std::span<const MessageSize> sizes) {
  Hold hold(lock);
  plan.add(epoch, {sizes.begin(), sizes.end()});
}

void Mailbox::beginEpoch(uint64_t epoch) {
  {
    Hold hold(lock);
    current = std::max(current, epoch);
    const auto kept = messages.lower_bound({current, 0, 0, 0});
    for (auto over = messages.begin(); over != kept; ++over)
      peers[over->first.from].bytesHeld -= over->second.capacity() + kOwnBytes;
    messages.erase(messages.begin(), kept);
    const auto known = failures.lower_bound(current);
    for (auto over = failures.begin(); over != known; ++over)
      peers[over->second.by].bytesHeld -=
          over->second.why.message().size() + kOwnBytes;
    failures.erase(failures.begin(), known);
  }
  changes.note();
}

uint64_t Mailbox::epoch() const {
  Hold hold(lock);
  return current;
}

bool Mailbox::fail(uint32_t by, uint64_t epoch, const Status &why) {
  {
    Hold hold(lock);
    if (!failureOf(epoch).ok())
      return false;
    peers[by].bytesHeld += why.message().size() + kOwnBytes;
    failures.emplace(epoch, Failure{by, why});
  }
  changes.note();
  return true;
}

bool Mailbox::hasFailed(uint64_t epoch) const {
  Hold hold(lock);
  return !failureOf(epoch).ok();
}

bool Mailbox::isReachable(uint32_t peer) const {
  Hold hold(lock);
  return goneFor(peer).ok();
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

uint64_t Mailbox::progress() const {
  Hold hold(lock);
  return moves;
}

std::string Mailbox::describeWaits() const {
  std::string text;
  for (const Wait &wait : waiting)
    text += (text.empty() ? "rank " + std::to_string(rank) + " waits for rank "
                          : ", rank ") +
            std::to_string(wait.from);
  return text;
}

std::string Mailbox::waits() const {
  Hold hold(lock);
  return describeWaits();
}

} // namespace smp
