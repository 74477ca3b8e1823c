// SPDX-License-Identifier: Apache-2.0
#include "smp/exec/SessionCore.h"
#include "../step/MessageKeys.h"
#include "OpenSession.h"
#include "smp/exec/IncomingValues.h"

namespace smp {

SessionCore::SessionCore(std::unique_ptr<State> state)
    : state(std::move(state)) {}
SessionCore::~SessionCore() = default;

StatusOr<std::unique_ptr<SessionCore>>
SessionCore::open(std::shared_ptr<RunnableProgram> program,
                  SessionOptions options,
                  std::unique_ptr<DriverRegistry> drivers) {
  auto state = std::make_unique<State>(std::move(program), std::move(options),
                                       std::move(drivers));
  Status status = SessionOpener(*state).open();
  if (Communicator *communicator = state->communicator()) {
    if (!status.ok())
      communicator->fail(state->firstEpoch, status);
    else // Nobody starts before all are ready.
      status = communicator->barrier(
          {"Session is open",
           {state->firstEpoch, readyKey(), 0},
           deadlineAfter(state->options.deadlineSeconds)});
  }
  if (!status.ok())
    return status;
  return std::unique_ptr<SessionCore>(new SessionCore(std::move(state)));
}

/// What `work` gives, which has the Session to itself.
template <typename Work>
static auto alone(SessionCore::State &state, Work work) -> decltype(work()) {
  SMP_RETURN_IF_ERROR(state.enter());
  auto result = work();
  state.leave();
  return result;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

StatusOr<StepOutput> SessionCore::step(std::string_view entry,
                                       std::span<const InputTensor> inputs,
                                       const StepOptions &options) {
  SMP_RETURN_IF_ERROR(state->enterStep());
  return state->stepAndLeave(entry, inputs, options);
}

/// The Session stays entered until the step is done.
Status SessionCore::stepAsync(std::string_view entry,
                              std::span<const InputTensor> inputs,
                              const StepOptions &options,
                              std::function<void(StatusOr<StepOutput>)> done) {
  SMP_RETURN_IF_ERROR(state->enterStep());
  const StatusOr<EntryState *> found = state->findEntry(entry);
  Status status =
      state->async.start({entry, found.ok() ? &(*found)->entry() : nullptr,
                          inputs, options, std::move(done)});
  if (!status.ok())
    state->leaveStep();
  return status;
}

void SessionCore::requestStop() { state->requestStop(); }

void SessionCore::clearStop() { state->stopRequested = false; }

Status SessionCore::addObserver(std::weak_ptr<StepObserver> observer,
                                OnObserverError onError) {
  return alone(*state, [&] {
    state->observers.add(std::move(observer), onError);
    return Status();
  });
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

Status SessionCore::setVariable(std::string_view name,
                                const TensorView &value) {
  return alone(*state, [&] {
    SMP_RETURN_IF_ERROR(state->awaitReaders());
    return state->variables.set(name, value);
  });
}

Status SessionCore::getVariable(std::string_view name,
                                std::span<std::byte> bytes) {
  return alone(*state, [&] { return state->variables.get(name, bytes); });
}

Status SessionCore::writeSnapshot(IncomingValues values,
                                  std::span<const std::string_view> elsewhere,
                                  const StepCounts &steps) {
  return alone(*state, [&] {
    SMP_RETURN_IF_ERROR(state->awaitReaders());
    values.give(state->variables);
    for (std::string_view name : elsewhere)
      SMP_RETURN_IF_ERROR(state->variables.setElsewhere(name));
    state->observers.counts = steps;
    return Status();
  });
}

std::vector<std::optional<uint32_t>> SessionCore::variablePartitions() const {
  const Program &program = state->program();
  std::vector<std::optional<uint32_t>> first(program.variables.size());
  for (const Stage &stage : program.stages)
    for (const Launch &launch : stage.launches)
      for (const BufferRef &ref : launch.buffers)
        if (ref.space == Space::Variable)
          first[ref.index] = std::min(
              first[ref.index].value_or(stage.partition), stage.partition);
  std::vector<std::optional<uint32_t>> partitions;
  for (size_t i = 0; i < first.size(); ++i)
    if (program.variables[i].kind != VariableKind::Accumulator)
      partitions.push_back(first[i]);
  return partitions;
}

std::vector<uint32_t> SessionCore::variableRanks() const {
  std::vector<uint32_t> ranks;
  for (const std::optional<uint32_t> partition : variablePartitions())
    ranks.push_back(partition ? state->ranks[*partition] : 0);
  return ranks;
}

std::vector<bool> SessionCore::variablesNeeded() const {
  const std::vector<Variable> &all = state->program().variables;
  const std::vector<uint32_t> ranks = variableRanks();
  std::vector<bool> needed;
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == VariableKind::Accumulator)
      continue;
    bool isNeeded = ranks[needed.size()] == rank();
    for (const auto &partition : state->partitions)
      isNeeded |= partition && partition->uses(i);
    needed.push_back(isNeeded);
  }
  return needed;
}

//===----------------------------------------------------------------------===//
// What it is
//===----------------------------------------------------------------------===//

std::vector<EntrySignature> SessionCore::entries() const {
  return describeEntries(state->program());
}
std::vector<VariableSignature> SessionCore::variables() const {
  return describeVariables(state->program());
}

std::vector<DeviceMemory> SessionCore::memory() const {
  std::vector<DeviceMemory> list;
  for (const auto &partition : state->partitions)
    if (partition)
      list.push_back(
          {partition->device().name(), partition->device().kind(),
           partition->number(), partition->device().memory().current(),
           partition->device().memory().peak(), partition->importedBytes(),
           partition->sharedBytes(), partition->device().cores()});
  return list;
}

std::vector<StageTime> SessionCore::stageTimes() const {
  return state->measurements.times();
}

std::vector<KernelWork> SessionCore::kernelWork() const {
  std::vector<KernelWork> list;
  for (const auto &partition : state->partitions)
    if (partition)
      partition->addWork(list);
  return list;
}

LoadTime SessionCore::loadTime() const { return state->loadTime; }

uint32_t SessionCore::rank() const {
  return state->communicator() ? state->communicator()->rank() : 0;
}

uint32_t SessionCore::rankCount() const {
  return state->communicator() ? state->communicator()->size() : 1;
}

std::unique_ptr<Communicator> SessionCore::openLane() {
  return state->communicator() ? state->communicator()->openLane() : nullptr;
}

StepCounts SessionCore::steps() const { return state->observers.counts; }

double SessionCore::heldSeconds() const { return state->gate.heldSeconds(); }

Communicator *SessionCore::openKeptLane() {
  if (std::unique_ptr<Communicator> lane = openLane())
    return state->lanes.emplace_back(std::move(lane)).get();
  return nullptr;
}

double SessionCore::deadlineSeconds() const {
  return state->options.deadlineSeconds;
}

const std::shared_ptr<RunnableProgram> &SessionCore::program() const {
  return state->runnable;
}

uint64_t SessionCore::fingerprint() const {
  return state->runnable->fingerprint();
}

void SessionCore::log(LogLevel level, std::string_view line) {
  state->log(level, line);
}

} // namespace smp
