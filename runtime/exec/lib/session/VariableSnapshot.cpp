// SPDX-License-Identifier: Apache-2.0
#include "SessionState.h"
#include "smp/base/Pieces.h"
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
  if (state->isBeingRead && state->mark.isHere())
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
  auto made = std::make_unique<State>(state, state.mark);
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
         partition ? partition->device().makeEvent() : nullptr,
         made->items.size()});
    bytes += state.variables.bytesOf(variable) + kDirectAlignment;
  }
  SMP_RETURN_IF_ERROR(made->memory.reserve(bytes, kDirectAlignment));
  for (const auto &partition : state.partitions)
    if (partition)
      made->memory.pinFor(partition->device());
  made->itemOf.resize(names.size());
  made->arrange();
  SMP_RETURN_IF_ERROR(state.snapshots.open(state.partitions));
  return std::unique_ptr<VariableSnapshot>(
      new VariableSnapshot(std::move(made)));
}

/// An item takes at most kDirectAlignment more than it has.
void VariableSnapshot::State::arrange() {
  std::ranges::sort(items, {}, &Item::turn);
  uint64_t place = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    Item &item = items[i];
    place = item.offset ? place + (*item.offset - place) % kDirectAlignment
                        : alignUp(place);
    item.bytes = {memory.data() + place,
                  size_t(session.variables.bytesOf(item.variable))};
    place += item.bytes.size();
    itemOf[item.name] = i;
  }
}

void VariableSnapshot::noteOffset(const std::byte *bytes, uint64_t offset) {
  const std::less<const std::byte *> isBefore;
  const auto found =
      std::ranges::partition_point(state->items, [&](const State::Item &item) {
        return !isBefore(bytes, std::to_address(item.bytes.end()));
      });
  if (found == state->items.end() || found->bytes.data() != bytes)
    return;
  found->turn = state->turns++;
  found->offset = offset;
}

Status VariableSnapshot::begin() {
  SMP_RETURN_IF_ERROR(wait());
  if (std::exchange(state->turns, 0))
    state->arrange();
  SessionCore::State &session = state->session;
  SMP_RETURN_IF_ERROR(session.enter());
  Status status = session.variables.checkSound();
  if (status.ok())
    status = session.observers.tellOfSnapshot(
        [&](LogLevel level, std::string_view line) {
          session.log(level, line);
        });
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
  state->readSeconds = 0;
  if (status.ok() && !isWhole)
    session.snapshots.start(*state);
  session.leave();
  return status;
}

Status VariableSnapshot::wait() { return state->wait(kAll); }

Status VariableSnapshot::wait(std::span<const std::byte> part) {
  const std::less<const std::byte *> isBefore;
  const auto endOf = [](auto bytes) {
    return static_cast<const std::byte *>(std::to_address(bytes.end()));
  };
  const bool isMine = !state->items.empty() &&
                      isBefore(part.data(), endOf(state->items.back().bytes)) &&
                      isBefore(state->items.front().bytes.data(), endOf(part));
  return isMine ? state->wait(endOf(part)) : Status();
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
  return state->items[state->itemOf[i]].bytes;
}
double VariableSnapshot::readSeconds() const { return state->readSeconds; }
const StepCounts &VariableSnapshot::steps() const { return state->steps; }

} // namespace smp
