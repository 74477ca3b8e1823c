// SPDX-License-Identifier: Apache-2.0
#include "RankGroup.h"
#include <set>

namespace smp {

/// The code as a letter, then the message or the text.
static std::string encode(const Status &status, std::string_view text) {
  return char('a' + int(status.code())) +
         (status.ok() ? std::string(text) : status.message());
}

/// Takes the letter off.
static Status decode(std::string &said) {
  const int code = said.empty() ? -1 : said[0] - 'a';
  if (code < 0 || code > int(StatusCode::Internal))
    return unavailable("it has another version of smp");
  said.erase(0, 1);
  return code == 0 ? Status() : Status(StatusCode(code), said);
}

StatusOr<RankGroup> RankGroup::meet(const Checkpoint &checkpoint) {
  std::set<SessionCore *> sessions;
  uint32_t ranks = 1;
  for (const Checkpoint::Root &root : checkpoint.roots())
    if (root.session()) {
      sessions.insert(root.session());
      ranks = std::max(ranks, root.session()->rankCount());
    }
  if (ranks > 1 && sessions.size() > 1)
    return failedPrecondition(
        "a Checkpoint has " + std::to_string(sessions.size()) +
        " Sessions, of which one is one of " + std::to_string(ranks) +
        " ranks; such a Session has a Checkpoint of its own");
  RankGroup group;
  if (ranks == 1)
    return group;
  SMP_ASSIGN_OR_RETURN(group.meeting, RankMeeting::begin(**sessions.begin()));
  return group;
}

StatusOr<std::vector<StatusOr<std::string>>>
RankGroup::tell(const Status &mine, std::string_view text, double moreSeconds) {
  std::vector<std::string> said{encode(mine, text)};
  if (meeting) {
    auto all = meeting->exchange(said.front(), moreSeconds);
    if (!all.ok()) // What went wrong here is more to the point.
      return mine.ok() ? all.status() : mine;
    said = all.take();
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

StatusOr<std::vector<std::string>> RankGroup::agree(const Status &mine,
                                                    std::string_view text,
                                                    double moreSeconds) {
  SMP_ASSIGN_OR_RETURN(auto told, tell(mine, text, moreSeconds));
  SMP_RETURN_IF_ERROR(firstError(told));
  std::vector<std::string> texts;
  for (StatusOr<std::string> &each : told)
    texts.push_back(each.take());
  return texts;
}

Status RankGroup::hearFirst(const Status &mine) {
  if (!meeting)
    return Status();
  SMP_ASSIGN_OR_RETURN(auto said, meeting->hearFirst(encode(mine, "")));
  return isFirst() ? Status() : decode(said).in("rank 0");
}

double secondsFor(uint64_t bytes) {
  constexpr double kSlowestBytesPerSecond = 10e6;
  return double(bytes) / kSlowestBytesPerSecond;
}

} // namespace smp
