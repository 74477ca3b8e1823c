// SPDX-License-Identifier: Apache-2.0
#include "OpenSession.h"
#include "../device/OpenDevices.h"
#include "../step/MessageKeys.h"
#include "smp/base/Lists.h"
#include <algorithm>
#include <map>

namespace smp {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

SessionOpener::SessionOpener(SessionCore::State &state)
    : state(state), program(state.program()),
      log([&state](LogLevel level, std::string_view line) {
        state.log(level, line);
      }),
      rank(state.communicator() ? state.communicator()->rank() : 0),
      size(state.communicator() ? state.communicator()->size() : 1),
      offers(size) {}

Status SessionOpener::open() {
  const auto start = Clock::now();
  SMP_RETURN_IF_ERROR(checkOptions());
  SMP_RETURN_IF_ERROR(openDevices());
  SMP_RETURN_IF_ERROR(loadPartitions());
  SMP_RETURN_IF_ERROR(agreeWithOtherRanks());
  SMP_RETURN_IF_ERROR(makeNumericsPieces());
  SMP_RETURN_IF_ERROR(makePlans());
  planMessages();
  SMP_RETURN_IF_ERROR(fillVariables());
  SMP_RETURN_IF_ERROR(startThreads());
  LoadTime &time = state.loadTime;
  for (auto &partition : state.partitions)
    if (partition)
      time.jitSeconds += partition->device().jitSeconds();
  time.loadSeconds = state.runnable->readSeconds() + secondsSince(start) -
                     time.jitSeconds - time.weightsSeconds - time.packSeconds;
  return Status();
}

Status SessionOpener::checkOptions() const {
  SMP_RETURN_IF_ERROR(checkDeadline(state.options.deadlineSeconds));
  const HostAllocator &allocator = state.options.allocator;
  if (!allocator.allocate != !allocator.release)
    return invalidArgument(std::string("the allocator has no ") +
                           (allocator.allocate ? "release" : "allocate") +
                           "; it must have both functions, or neither");
  const CheckNumerics checked = state.options.checkNumerics;
  if (checked < CheckNumerics::Off || checked > CheckNumerics::NanAndInf)
    return invalidArgument("checkNumerics is " + std::to_string(int(checked)) +
                           "; it must be 0 (off), 1 (NaN) or 2 (NaN and "
                           "infinities)");
  if (checked != CheckNumerics::Off)
    SMP_RETURN_IF_ERROR(checkNumericsKnown(program));
  for (const std::string &name : state.options.wantedOutputs) {
    bool known = false;
    for (const Entry &entry : program.entries)
      for (const EntryTensor &output : entry.outputs)
        known |= output.name == name;
    if (!known)
      return invalidArgument("wantedOutputs has '" + name +
                             "', which no entry of the program has");
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Each once, with commas.
static std::string listKinds(std::span<const std::unique_ptr<Device>> devices) {
  std::vector<std::string> kinds;
  for (const auto &device : devices)
    if (device &&
        std::find(kinds.begin(), kinds.end(), device->kind()) == kinds.end())
      kinds.push_back(device->kind());
  return join(kinds, ",");
}

Status SessionOpener::openDevices() {
  const SessionOptions &options = state.options;
  if (options.devices.empty())
    state.options.devices = defaultDevices(program.partitions, size);
  DeviceOptions deviceOptions;
  deviceOptions.level = options.level;
  if (options.memoryLimitBytes)
    deviceOptions.memoryLimit = options.memoryLimitBytes;
  deviceOptions.allocator = options.allocator;
  deviceOptions.seed = options.seed;
  deviceOptions.log = log;
  SMP_ASSIGN_OR_RETURN(
      auto specs, chooseDevices(options.devices, program.partitions, size));
  SMP_ASSIGN_OR_RETURN(
      devices, smp::openDevices(specs, rank, *state.drivers, deviceOptions));
  offers[rank] = {std::to_string(state.runnable->fingerprint()),
                  options.devices, listKinds(devices), options.wantedOutputs};
  for (const DeviceSpec &spec : specs)
    state.ranks.push_back(spec.rank);
  return Status();
}

/// What is here, and what of it shares memory; every other rank is apart.
MemoryTraits SessionOpener::memoryTraits() const {
  MemoryTraits traits;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    uint32_t space = i;
    for (uint32_t j = i; devices[i] && j-- > 0;)
      if (devices[j] && devices[i]->sharesMemoryWith(*devices[j]))
        space = traits.spaces[j];
    traits.spaces.push_back(space);
    traits.importsHost.push_back(devices[i] &&
                                 devices[i]->importHost(nullptr, 0));
  }
  traits.wants = [this](uint32_t entry, uint32_t output) {
    return wants(rank, entry, output);
  };
  return traits;
}

/// Before anything is allocated, of all partitions that share a memory.
Status SessionOpener::checkRoom(std::span<const uint32_t> spaces) const {
  std::map<uint32_t, uint64_t> needed; // By the first of them.
  for (uint32_t i = 0; i < devices.size(); ++i)
    if (devices[i])
      needed[spaces[i]] += layout.partitions[i].memory().allocated();
  for (const auto &[partition, bytes] : needed)
    SMP_RETURN_IF_ERROR(devices[partition]->checkRoom(bytes).in(
        "partition " + std::to_string(partition)));
  return Status();
}

Status SessionOpener::loadPartitions() {
  const MemoryTraits traits = memoryTraits();
  layout = layOut(program, traits);
  SMP_RETURN_IF_ERROR(checkRoom(traits.spaces));
  state.partitions.resize(devices.size());
  for (uint32_t i = 0; i < devices.size(); ++i) {
    state.memories.push_back(std::make_unique<EntryMemory>());
    if (!devices[i])
      continue;
    SMP_ASSIGN_OR_RETURN(state.partitions[i],
                         DevicePartition::load(state.variables.store(), i,
                                               std::move(devices[i]),
                                               layout.partitions[i])
                             .in("partition " + std::to_string(i)));
    SMP_RETURN_IF_ERROR(state.memories[i]
                            ->allocate(state.partitions[i]->device(),
                                       layout.partitions[i].channels)
                            .in("partition " + std::to_string(i)));
  }
  return Status();
}

Status SessionOpener::agreeWithOtherRanks() {
  Communicator *communicator = state.communicator();
  if (!communicator)
    return Status();
  SMP_ASSIGN_OR_RETURN(offers,
                       agreeRanks(*communicator, state.firstEpoch,
                                  deadlineAfter(state.options.deadlineSeconds),
                                  offers[rank], log));
  return Status();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

bool SessionOpener::wants(uint32_t of, uint32_t entry, uint32_t output) const {
  const std::vector<std::string> &names = offers[of].wantedOutputs;
  return names.empty() || program.entries[entry].isShown(output) ||
         std::count(names.begin(), names.end(),
                    program.entries[entry].outputs[output].name) > 0;
}

Status SessionOpener::makePlans() {
  PlanContext context{program,     state.control,        {}, {}, layout,
                      state.ranks, state.communicator(), {}};
  context.wants = [this](uint32_t of, uint32_t entry, uint32_t output) {
    return wants(of, entry, output);
  };
  for (size_t i = 0; i < state.partitions.size(); ++i) {
    context.partitions.push_back(state.partitions[i].get());
    context.memories.push_back(state.memories[i].get());
  }
  for (uint32_t i = 0; i < program.entries.size(); ++i) {
    SMP_ASSIGN_OR_RETURN(auto plan,
                         EntryPlan::make(context, i)
                             .in("entry '" + program.entries[i].name + "'"));
    state.entries.push_back(std::make_unique<EntryState>(std::move(plan)));
    EntryState &entry = *state.entries.back();
    state.canBeWatched |= entry.entry().twin.has_value();
    for (auto &run : entry.plan().runs) {
      if (!run)
        continue;
      state.measurements.add(*run, entry);
      if (!state.pieces.empty())
        run->numerics = std::make_unique<NumericsCheck>(
            StagePlace{program, program.entries[i], run->position},
            run->partition, state.options.checkNumerics, state.control,
            *state.pieces[run->partition.number()]);
    }
  }
  return Status();
}

Status SessionOpener::makeNumericsPieces() {
  if (state.options.checkNumerics == CheckNumerics::Off)
    return Status();
  state.pieces.resize(program.partitions);
  for (size_t i = 0; i < state.partitions.size(); ++i) {
    if (!state.partitions[i])
      continue;
    state.pieces[i] = std::make_unique<NumericsPieces>();
    SMP_RETURN_IF_ERROR(state.pieces[i]->allocate());
    state.pieces[i]->clearPrepared(*state.partitions[i]);
  }
  return Status();
}

/// Says how large each message of the plans is, before any comes: no rank runs
/// a step before all have opened their Sessions.
void SessionOpener::planMessages() {
  if (!state.communicator())
    return;
  std::vector<MessageSize> sizes;
  for (auto &entry : state.entries)
    for (const MessageSize &message : entry->plan().messages)
      sizes.push_back(message);
  for (uint32_t other = 0; other < size; ++other) {
    for (uint64_t meeting : {gateKey(), readyKey()})
      sizes.push_back({other, meeting, 0});
    sizes.push_back({other, wishKey(), 1});
  }
  state.communicator()->planMessages(state.firstEpoch, sizes);
}

//===----------------------------------------------------------------------===//
// Ready for steps
//===----------------------------------------------------------------------===//

Status SessionOpener::fillVariables() {
  auto start = Clock::now();
  for (auto &partition : state.partitions)
    if (partition)
      SMP_RETURN_IF_ERROR(partition->refreshVariables());
  state.loadTime.weightsSeconds = secondsSince(start);
  start = Clock::now();
  for (auto &partition : state.partitions)
    if (partition)
      SMP_RETURN_IF_ERROR(partition->prepare());
  state.loadTime.packSeconds = secondsSince(start);
  return Status();
}

Status SessionOpener::startThreads() {
  for (auto &partition : state.partitions)
    if (partition)
      state.executors.push_back(
          std::make_unique<Executor>(*partition, state.control, state.gate));
  if (state.executors.size() > 1) {
    std::vector<Executor *> all;
    for (auto &executor : state.executors)
      all.push_back(executor.get());
    SMP_ASSIGN_OR_RETURN(state.crew, Crew::start(std::move(all)));
  }
  if (state.options.deadlineSeconds == 0)
    return Status();
  SMP_ASSIGN_OR_RETURN(
      state.watchdog,
      Watchdog::start(
          state.options.deadlineSeconds,
          {state.control, [&state = state] { return state.progress(); },
           [&state = state](uint64_t step) { state.expired(step); }}));
  return Status();
}

} // namespace smp
