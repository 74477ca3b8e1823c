// SPDX-License-Identifier: Apache-2.0
#include "Mailbox.h"
#include <algorithm>
#include <cstring>

namespace smp {

using Hold = std::lock_guard<std::mutex>;

//===----------------------------------------------------------------------===//
// Bringing
//===----------------------------------------------------------------------===//

MessageBytes Mailbox::spareBuffer() {
  Hold hold(lock);
  if (spares.empty())
    return {};
  MessageBytes spare = std::move(spares.back());
  spares.pop_back();
  return spare;
}

void Mailbox::deliver(uint32_t from, MessageTag tag, MessageBytes bytes) {
  {
    Hold hold(lock);
    ++moves;
    if (tag.epoch < current)
      return;
    bytesHeld += bytes.size();
    messages.push_back({from, tag, std::move(bytes)});
  }
  changed.notify_all();
}

void Mailbox::lose(uint32_t from, const Status &why) {
  {
    Hold hold(lock);
    if (lostPeers[from].ok())
      lostPeers[from] = why;
  }
  changed.notify_all();
}

uint64_t Mailbox::waitingBytes() const {
  Hold hold(lock);
  return bytesHeld;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

bool Mailbox::take(const Wait &wanted, MessageBytes &bytes) {
  const auto found = std::find_if(
      messages.begin(), messages.end(), [&](const Message &message) {
        return message.from == wanted.from && message.tag == wanted.tag;
      });
  if (found == messages.end())
    return false;
  bytes = std::move(found->bytes);
  bytesHeld -= bytes.size();
  messages.erase(found);
  ++moves;
  return true;
}

Status Mailbox::failureOf(uint64_t epoch) const {
  for (const auto &[failed, why] : failures)
    if (failed == epoch)
      return why;
  if (epoch < current)
    return Status(StatusCode::Cancelled,
                  "epoch " + std::to_string(epoch) + " is over");
  return Status();
}

/// Failures come before messages, so that a lost step ends at once.
Status Mailbox::wait(std::unique_lock<std::mutex> &hold, const Wait &wanted,
                     Deadline deadline, MessageBytes &bytes) {
  while (true) {
    SMP_RETURN_IF_ERROR(failureOf(wanted.tag.epoch));
    if (take(wanted, bytes))
      return Status();
    SMP_RETURN_IF_ERROR(lostPeers[wanted.from]);
    waiting.push_back(wanted);
    bool inTime = true;
    if (deadline)
      inTime =
          changed.wait_until(hold, *deadline) == std::cv_status::no_timeout;
    else
      changed.wait(hold);
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
  constexpr size_t kSpares = 16;
  if (message.capacity() && spares.size() < kSpares)
    spares.push_back(std::move(message));
  hold.unlock();
  changed.notify_all(); // There is room again.
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
// Epochs
//===----------------------------------------------------------------------===//

void Mailbox::beginEpoch(uint64_t epoch) {
  {
    Hold hold(lock);
    current = std::max(current, epoch);
    std::erase_if(messages, [&](const Message &message) {
      if (message.tag.epoch >= current)
        return false;
      bytesHeld -= message.bytes.size();
      return true;
    });
    std::erase_if(failures,
                  [&](const auto &failure) { return failure.first < current; });
  }
  changed.notify_all();
}

uint64_t Mailbox::epoch() const {
  Hold hold(lock);
  return current;
}

bool Mailbox::fail(uint64_t epoch, const Status &why) {
  {
    Hold hold(lock);
    if (!failureOf(epoch).ok())
      return false;
    failures.emplace_back(epoch, why);
  }
  changed.notify_all();
  return true;
}

Status Mailbox::sendable(uint32_t peer, uint64_t epoch) const {
  Hold hold(lock);
  SMP_RETURN_IF_ERROR(failureOf(epoch));
  return lostPeers[peer];
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
