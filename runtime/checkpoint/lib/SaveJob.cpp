// SPDX-License-Identifier: Apache-2.0
#include "SaveJob.h"
#include <charconv>

namespace smp {

std::string toString(const SaveWish &wish) {
  std::string text = wish.number ? "number " + std::to_string(*wish.number)
                                 : "the next number";
  if (!wish.metric)
    return text;
  char digits[32];
  return text + " with the metric " +
         std::string(digits,
                     std::to_chars(digits, std::end(digits), *wish.metric).ptr);
}

CheckpointSave::CheckpointSave(std::shared_ptr<State> state)
    : state(std::move(state)) {}

void CheckpointSave::State::finish(const SaveResult &result) {
  status = result.status();
  if (result.ok())
    path = *result;
  isDone = true;
  changes.note();
  if (onSaved)
    onSaved(result);
}

bool CheckpointSave::done() const { return state->isDone; }

SaveResult CheckpointSave::wait() const {
  if (!state->isDone && !state->mark.isHere())
    return forkedOff("CheckpointManager"); // It goes on in the other process.
  for (uint32_t seen = state->changes.now(); !state->isDone;
       seen = state->changes.now())
    state->changes.waitBeyond(seen);
  if (!state->status.ok())
    return state->status;
  return state->path;
}

} // namespace smp
