// SPDX-License-Identifier: Apache-2.0
#include "SessionState.h"
#include "smp/model/Alignment.h"
#include <algorithm>

namespace smp {

VariableSnapshot::VariableSnapshot(std::unique_ptr<State> state)
    : state(std::move(state)) {}

/// Beyond every address of a snapshot.
static const std::byte *const kAll =
    reinterpret_cast<const std::byte *>(UINTPTR_MAX);

VariableSnapshot::~VariableSnapshot() {
  // A Session that ends reads to the end before; in a forked process nobody
  // reads.
  if (state->isBeingRead && state->forks == forkGeneration())
    (void)state->session.snapshots.wait(*state, kAll, 0);
}

/// Whether some stage changes the variable before the step's update.
static bool changesEarly(const SessionCore::State &session, uint32_t variable) {
  for (const auto &entry : session.entries)
    for (const std::vector<uint32_t> &states : entry->plan().states)
      if (std::count(states.begin(), states.end(), variable))
        return true;
  return false;
}

StatusOr<std::unique_ptr<VariableSnapshot>>
VariableSnapshot::make(SessionCore &session,
                       std::span<const std::string> names) {
  SessionCore::State &state = *session.state;
  auto made = std::make_unique<State>(state, state.forks);
  uint64_t bytes = 0;
  for (const std::string &name : names) {
    SMP_ASSIGN_OR_RETURN(const uint32_t variable, state.variables.find(name));
    DevicePartition *const partition = state.variables.assigner(variable);
    made->items.push_back(
        {variable,
         partition,
         changesEarly(state, variable),
         {},
         false,
         partition ? partition->device().makeEvent() : nullptr});
    bytes += alignUp(state.variables.bytesOf(variable));
  }
  SMP_RETURN_IF_ERROR(made->memory.reserve(bytes));
  for (const auto &partition : state.partitions)
    if (partition)
      made->memory.pinFor(partition->device());
  std::byte *place = made->memory.data();
  for (State::Item &item : made->items) {
    const uint64_t size = state.variables.bytesOf(item.variable);
    item.bytes = {place, size_t(size)};
    place += alignUp(size);
  }
  SMP_RETURN_IF_ERROR(state.snapshots.open(state.partitions));
  return std::unique_ptr<VariableSnapshot>(
      new VariableSnapshot(std::move(made)));
}

Status VariableSnapshot::begin() {
  SMP_RETURN_IF_ERROR(wait());
  SessionCore::State &session = state->session;
  SMP_RETURN_IF_ERROR(session.enter());
  Status status = session.variables.checkSound();
  bool isWhole = true;
  for (State::Item &item : state->items) {
    item.isTaken = item.changesEarly || item.bytes.empty() ||
                   (item.partition && !item.partition->owns(item.variable));
    isWhole &= item.isTaken;
    if (item.isTaken && status.ok())
      status = session.variables.get(item.variable, item.bytes);
  }
  state->steps = session.observers.counts;
  state->outcome = Status();
  if (status.ok() && !isWhole)
    session.snapshots.start(*state);
  session.leave();
  return status;
}

Status VariableSnapshot::wait() { return state->wait(kAll); }

Status VariableSnapshot::wait(std::span<const std::byte> part) {
  const std::less<const std::byte *> isBefore;
  if (state->items.empty() ||
      isBefore(part.data(), state->items.front().bytes.data()) ||
      isBefore(std::to_address(state->items.back().bytes.end()), part.data()))
    return Status();
  return state->wait(std::to_address(part.end()));
}

Status VariableSnapshot::State::wait(const std::byte *end) const {
  const double seconds = session.options.deadlineSeconds;
  if (session.snapshots.wait(*this, end, seconds))
    return readUntil >= end ? Status() : outcome;
  return Status(StatusCode::DeadlineExceeded,
                "the devices gave no variable for a snapshot in " +
                    std::to_string(seconds) + " seconds");
}

std::span<const std::byte> VariableSnapshot::bytes(size_t i) const {
  return state->items[i].bytes;
}
const StepCounts &VariableSnapshot::steps() const { return state->steps; }

} // namespace smp
