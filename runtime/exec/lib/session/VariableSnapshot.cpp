// SPDX-License-Identifier: Apache-2.0
#include "SessionState.h"
#include "smp/base/Pieces.h"
#include "smp/model/Alignment.h"
#include <algorithm>

namespace smp {

VariableSnapshot::VariableSnapshot(std::unique_ptr<State> state)
    : state(std::move(state)) {}

using Bytes = std::span<const std::byte>;

static const std::byte *endOf(Bytes bytes) {
  return std::to_address(bytes.end());
}

/// Beyond every address of a snapshot.
static const std::byte *const kAll =
    reinterpret_cast<const std::byte *>(UINTPTR_MAX);

VariableSnapshot::~VariableSnapshot() {
  // A Session that ends reads to the end before; in a forked process nobody
  // reads.
  if (state->isBeingRead && state->mark.isHere())
    (void)state->session.snapshots.end(*state, 0);
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
         nullptr,
         partition ? partition->device().makeEvent() : nullptr,
         made->items.size()});
    made->size += state.variables.bytesOf(variable);
    bytes += state.variables.bytesOf(variable) + kDirectAlignment;
  }
  SMP_RETURN_IF_ERROR(made->memory.reserve(bytes, kDirectAlignment));
  for (const auto &partition : state.partitions)
    if (partition)
      made->memory.pinFor(partition->device());
  made->itemOf.resize(names.size());
  made->byPlace.reserve(names.size());
  made->loans.reserve(names.size());
  made->arrange();
  made->index();
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

/// Where the disk was in time for all the last time, it may be so again.
void VariableSnapshot::State::adapt() {
  if (isUsedInTime)
    lendable = lendable ? lendable + size / 16 : size;
  else if (usedAtEnd != kAll)
    lendable = usedAtEnd / 10 * 9;
  isUsedInTime = false;
  usedAtEnd = kAll;
}

/// If it can be.
void VariableSnapshot::State::lend(Item &item) {
  if (item.isTaken || !item.partition)
    return;
  item.lentFrom = item.partition->valueInPlace(item.variable);
  if (item.lentFrom)
    loans.lend(placeOf(item), item.bytes.data());
}

void VariableSnapshot::State::index() {
  byPlace.clear();
  for (Item &item : items)
    if (!item.bytes.empty())
      byPlace.push_back(&item);
  std::ranges::sort(byPlace, std::less<const std::byte *>(),
                    [&](const Item *item) { return placeOf(*item).data(); });
}

void VariableSnapshot::noteOffset(const std::byte *bytes, uint64_t offset) {
  const auto found = std::ranges::lower_bound(
      state->byPlace, bytes, std::less<const std::byte *>(),
      [&](const State::Item *item) { return state->placeOf(*item).data(); });
  if (found == state->byPlace.end() || state->placeOf(**found).data() != bytes)
    return;
  (*found)->turn = state->turns++;
  (*found)->offset = offset;
}

void VariableSnapshot::drop() {
  if (state->isBeingRead && state->mark.isHere())
    state->session.snapshots.drop(*state);
}

Status VariableSnapshot::begin(Lends lends) {
  SessionCore::State &session = state->session;
  if (!session.snapshots.end(*state, session.options.deadlineSeconds))
    return state->late();
  if (std::exchange(state->turns, 0))
    state->arrange();
  SMP_RETURN_IF_ERROR(session.enter());
  Status status = session.variables.checkSound();
  if (status.ok())
    status = session.observers.tellOfSnapshot(
        [&](LogLevel level, std::string_view line) {
          session.log(level, line);
        });
  state->adapt();
  state->loans.clear();
  bool isWhole = true;
  uint64_t end = 0; // Of the item among all.
  for (State::Item &item : state->items) {
    item.lentFrom = nullptr;
    item.isTaken = item.changesEarly || item.bytes.empty() ||
                   (item.partition && !item.partition->owns(item.variable));
    isWhole &= item.isTaken;
    if (item.isTaken && status.ok())
      status = session.variables.get(item.variable, item.bytes);
    end += item.bytes.size();
    if (status.ok() && (lends == Lends::All ||
                        (lends == Lends::InTime && end <= state->lendable)))
      state->lend(item);
  }
  state->loans.begin();
  state->index();
  state->steps = session.observers.counts;
  state->openings = session.gate.openings();
  state->outcome = Status();
  state->readSeconds = 0;
  state->used = 0;
  state->isDropped = false;
  if (status.ok() && !isWhole)
    session.snapshots.start(*state);
  session.leave();
  return status;
}

Status VariableSnapshot::wait() { return state->wait(kAll); }

Status VariableSnapshot::State::late() const {
  return Status(StatusCode::DeadlineExceeded,
                "the devices gave no variable for a snapshot in " +
                    std::to_string(session.options.deadlineSeconds) +
                    " seconds");
}

Status VariableSnapshot::State::wait(const std::byte *end) const {
  if (session.snapshots.wait(*this, end, session.options.deadlineSeconds))
    return readUntil >= end ? Status() : outcome;
  return late();
}

bool VariableSnapshot::has(Bytes part) const {
  const std::less<const std::byte *> isBefore;
  return state->loans.has(part) ||
         (!state->items.empty() &&
          !isBefore(part.data(), state->items.front().bytes.data()) &&
          isBefore(part.data(), endOf(state->items.back().bytes)));
}

StatusOr<Bytes> VariableSnapshot::borrow(Bytes part) {
  if (state->loans.has(part))
    return state->loans.borrow(part);
  SMP_RETURN_IF_ERROR(state->wait(endOf(part)));
  return part;
}

void VariableSnapshot::giveBack(Bytes part, Bytes borrowed) {
  if (state->loans.has(part))
    state->loans.giveBack(part, borrowed);
}

bool VariableSnapshot::confirm(Bytes part, Bytes borrowed) {
  if (state->loans.has(part) && !state->loans.confirm(part, borrowed))
    return false;
  state->noteUsed(borrowed.size());
  return true;
}

void VariableSnapshot::State::noteUsed(uint64_t bytes) {
  if ((used += bytes) == size)
    isUsedInTime = session.gate.openings() == openings;
  if (loans.areUsed())
    session.snapshots.noteUsed();
}

std::span<const std::byte> VariableSnapshot::bytes(size_t i) const {
  return state->placeOf(state->items[state->itemOf[i]]);
}
double VariableSnapshot::readSeconds() const { return state->readSeconds; }
const StepCounts &VariableSnapshot::steps() const { return state->steps; }

} // namespace smp
