// SPDX-License-Identifier: Apache-2.0
#include "smp/exec/RankMeeting.h"
#include "SessionState.h"
#include "smp/device/Communicator.h"

namespace smp {

static std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

static std::string textOf(const std::vector<std::byte> &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

StatusOr<RankMeeting> RankMeeting::begin(SessionCore &session) {
  SessionCore::State &state = *session.state;
  SMP_RETURN_IF_ERROR(state.enter());
  // It takes a step's number; that a stop was requested is no matter of it.
  const uint64_t epoch = state.epochOf(state.control.begin());
  const Status ended = state.control.end();
  if (Communicator *communicator = state.communicator())
    communicator->beginEpoch(epoch);
  state.leave();
  SMP_RETURN_IF_ERROR(ended);
  return RankMeeting(state, epoch);
}

uint32_t RankMeeting::rank() const {
  return state->communicator() ? state->communicator()->rank() : 0;
}

uint32_t RankMeeting::size() const {
  return state->communicator() ? state->communicator()->size() : 1;
}

Status RankMeeting::fail(Status why) const {
  state->communicator()->fail(epoch, why);
  return why;
}

StatusOr<std::vector<std::string>> RankMeeting::exchange(std::string_view mine,
                                                         double moreSeconds) {
  if (!state->communicator())
    return std::vector<std::string>{std::string(mine)};
  const double seconds = state->options.deadlineSeconds;
  auto all = state->communicator()->allGather(
      {epoch, 0, calls++}, bytesOf(mine),
      deadlineAfter(seconds > 0 ? seconds + moreSeconds : 0));
  if (!all.ok())
    return fail(all.status());
  std::vector<std::string> texts;
  for (const std::vector<std::byte> &bytes : *all)
    texts.push_back(textOf(bytes));
  return texts;
}

StatusOr<std::string> RankMeeting::hearFirst(std::string_view mine) {
  Communicator *communicator = state->communicator();
  if (!communicator)
    return std::string(mine);
  const Deadline deadline = deadlineAfter(state->options.deadlineSeconds);
  const MessageTag tag{epoch, 0, calls++};
  if (rank() != 0) {
    auto heard = communicator->receiveAny(0, tag, deadline);
    if (!heard.ok())
      return fail(heard.status());
    return textOf(*heard);
  }
  Status status; // All are told that can be told.
  for (uint32_t to = 1; to < size(); ++to)
    if (Status sent = communicator->send(to, tag, bytesOf(mine), deadline);
        status.ok())
      status = std::move(sent);
  if (!status.ok())
    return fail(status);
  return std::string(mine);
}

} // namespace smp
