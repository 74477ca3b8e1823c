// SPDX-License-Identifier: Apache-2.0
#include "smp/device/RankGroup.h"
#include <algorithm>
#include <functional>

namespace smp {

/// The code as a letter, then the message or the text.
static std::string encode(const Status &status, std::string_view text) {
  return char('a' + int(status.code())) +
         (status.ok() ? std::string(text) : status.message());
}

static std::string textOf(const std::vector<std::byte> &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// Takes the letter off.
static Status decode(std::string &said) {
  const int code = said.empty() ? -1 : said[0] - 'a';
  if (code < 0 || code > int(StatusCode::Internal))
    return unavailable("it has another version of smp");
  said.erase(0, 1);
  return code == 0 ? Status() : Status(StatusCode(code), said);
}

//===----------------------------------------------------------------------===//
// A conversation
//===----------------------------------------------------------------------===//

RankGroup::RankGroup(Communicator *lane, uint64_t epoch, double deadlineSeconds,
                     uint32_t first)
    : lane(lane), epoch(epoch), deadlineSeconds(deadlineSeconds),
      firstRank(first) {
  if (lane)
    lane->beginEpoch(epoch);
}

Status RankGroup::fail(Status why) const {
  if (lane)
    lane->fail(epoch, why);
  return why;
}

Deadline RankGroup::deadlineIn(double moreSeconds) const {
  return deadlineAfter(deadlineSeconds > 0 ? deadlineSeconds + moreSeconds : 0);
}

StatusOr<std::vector<StatusOr<std::string>>>
RankGroup::tell(std::string_view name, const Status &mine,
                std::string_view text, double moreSeconds) {
  std::vector<std::string> said{encode(mine, text)};
  if (lane) {
    auto all =
        lane->allGather({name, {epoch, 0, calls++}, deadlineIn(moreSeconds)},
                        std::as_bytes(std::span(said.front())));
    if (!all.ok()) { // What went wrong here is more to the point.
      Status why = fail(all.status());
      return mine.ok() ? std::move(why) : mine;
    }
    said.clear();
    for (const std::vector<std::byte> &bytes : *all)
      said.push_back(textOf(bytes));
  }
  std::vector<StatusOr<std::string>> told;
  for (std::string &each : said) {
    Status status = decode(each);
    if (status.ok())
      told.emplace_back(std::move(each));
    else
      told.emplace_back(std::move(status));
  }
  return told;
}

Status
RankGroup::firstError(const std::vector<StatusOr<std::string>> &told) const {
  if (!told[rank()].ok())
    return told[rank()].status();
  for (size_t i = 0; i < told.size(); ++i)
    if (!told[i].ok())
      return Status(told[i].status()).in("rank " + std::to_string(i));
  return Status();
}

StatusOr<std::vector<std::string>> RankGroup::agree(std::string_view name,
                                                    const Status &mine,
                                                    std::string_view text,
                                                    double moreSeconds) {
  SMP_ASSIGN_OR_RETURN(auto told, tell(name, mine, text, moreSeconds));
  SMP_RETURN_IF_ERROR(firstError(told));
  std::vector<std::string> texts;
  for (StatusOr<std::string> &each : told)
    texts.push_back(each.take());
  return texts;
}

StatusOr<std::string> RankGroup::hearFirst(const Status &mine,
                                           std::string_view text,
                                           double moreSeconds) {
  if (!lane)
    return std::string(text);
  const Deadline deadline = deadlineIn(moreSeconds);
  const MessageTag tag{epoch, 0, calls++};
  if (!isFirst()) {
    auto heard = lane->receiveAny(firstRank, tag, deadline);
    if (!heard.ok())
      return fail(heard.status());
    std::string said = textOf(*heard);
    SMP_RETURN_IF_ERROR(decode(said).in("rank " + std::to_string(firstRank)));
    return said;
  }
  const std::string said = encode(mine, text);
  Status status; // All are told that can be told.
  for (uint32_t to = 0; to < size(); ++to) {
    if (to == firstRank)
      continue;
    Status sent = lane->send(to, tag, std::as_bytes(std::span(said)), deadline);
    if (status.ok())
      status = std::move(sent);
  }
  if (!status.ok())
    return fail(status);
  return std::string(text);
}

/// In pieces of what a message may have, each of which is waited for anew.
static Status inPieces(size_t size,
                       const std::function<Status(size_t, size_t)> &move) {
  for (size_t at = 0; at < size; at += kMostUnplannedBytes)
    SMP_RETURN_IF_ERROR(
        move(at, std::min<size_t>(size - at, kMostUnplannedBytes)));
  return Status();
}

Status RankGroup::sendFirst(std::span<const std::byte> bytes) {
  Status sent = inPieces(bytes.size(), [&](size_t at, size_t size) {
    return lane->send(firstRank, {epoch, 1, 0}, bytes.subspan(at, size),
                      deadlineAfter(deadlineSeconds));
  });
  return sent.ok() ? sent : fail(std::move(sent));
}

Status RankGroup::receive(uint32_t from, std::span<std::byte> bytes) {
  Status received = inPieces(bytes.size(), [&](size_t at, size_t size) {
    return lane->receive(from, {epoch, 1, 0}, bytes.subspan(at, size),
                         deadlineAfter(deadlineSeconds));
  });
  return received.ok() ? received : fail(std::move(received));
}

} // namespace smp
