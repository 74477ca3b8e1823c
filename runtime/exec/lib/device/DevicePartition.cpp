// SPDX-License-Identifier: Apache-2.0
#include "DevicePartition.h"
#include "PartitionLoader.h"
#include <algorithm>

namespace smp {

DevicePartition::DevicePartition(VariableStore &variables, uint32_t index,
                                 std::unique_ptr<Device> device)
    : variables(variables), program(variables.program()), index(index),
      owned(std::move(device)), codes(program.stages.size()),
      changed(program.variables.size()) {}

StatusOr<std::unique_ptr<DevicePartition>>
DevicePartition::load(VariableStore &variables, uint32_t index,
                      std::unique_ptr<Device> device,
                      const PartitionLayout &layout) {
  std::unique_ptr<DevicePartition> partition(
      new DevicePartition(variables, index, std::move(device)));
  SMP_ASSIGN_OR_RETURN(partition->work, partition->owned->makeStream());
  partition->settled = partition->owned->makeEvent();
  SMP_RETURN_IF_ERROR(PartitionLoader(*partition, layout).load());
  return partition;
}

bool DevicePartition::markChanged(uint32_t variable) {
  if (!variableBuffers.count(variable))
    return false;
  changed[variable] = true;
  return true;
}

Status DevicePartition::waitForWork() {
  work->record(*settled);
  return settled->wait();
}

Status DevicePartition::refreshVariables() {
  std::vector<uint32_t> moved; // To where the only value is from now on.
  for (auto &[variable, buffer] : variableBuffers) {
    if (!changed[variable])
      continue;
    SMP_RETURN_IF_ERROR(refreshVariable(variable, *buffer));
    changed[variable] = false;
    if (variables.isAssigned(variable))
      moved.push_back(variable);
    for (PrepareStage &prepare : prepareStages)
      if (std::count(prepare.variables.begin(), prepare.variables.end(),
                     variable))
        prepare.stale = true;
  }
  SMP_RETURN_IF_ERROR(waitForWork());
  for (uint32_t variable : moved)
    variables.drop(variable);
  return Status();
}

Status DevicePartition::readVariable(uint32_t variable,
                                     std::span<std::byte> bytes) {
  putRead(*work, variable, bytes);
  return waitForWork();
}

void DevicePartition::putRead(Stream &stream, uint32_t variable,
                              std::span<std::byte> bytes) {
  stream.download(bytes.data(), {variableBuffers.at(variable).get()},
                  {bytes.size()});
}

void DevicePartition::saveRollback(std::span<const uint32_t> variables) {
  rollback = variables;
  for (uint32_t variable : rollback) {
    const Buffer &value = *variableBuffers.at(variable);
    work->copy({rollbackBuffers.at(variable).get()},
               {variableBuffers.at(variable).get()}, {value.size()});
  }
}

Status DevicePartition::rollBack() {
  for (uint32_t variable : rollback) {
    const Buffer &value = *rollbackBuffers.at(variable);
    work->copy({variableBuffers.at(variable).get()},
               {rollbackBuffers.at(variable).get()}, {value.size()});
  }
  return waitForWork();
}

Status DevicePartition::refreshVariable(uint32_t variable, Buffer &buffer) {
  SMP_ASSIGN_OR_RETURN(std::span<const std::byte> value,
                       variables.value(variable));
  if (!buffer.isImported()) {
    work->upload({&buffer}, value.data(), {value.size()});
    return Status();
  }
  // Only read: what a stage writes is not imported.
  imported += value.size() - buffer.size();
  owned->reimportHost(buffer, const_cast<std::byte *>(value.data()),
                      value.size());
  return Status();
}

//===----------------------------------------------------------------------===//
// Prepared values
//===----------------------------------------------------------------------===//

bool DevicePartition::isStale(const PrepareStage &prepare,
                              std::span<PrepareStage *const> remade) const {
  return prepare.stale ||
         std::any_of(remade.begin(), remade.end(), [&](PrepareStage *other) {
           return std::count(prepare.makers.begin(), prepare.makers.end(),
                             other->stage) > 0;
         });
}

Status DevicePartition::prepare() {
  std::vector<PrepareStage *> remade;
  Status status;
  for (PrepareStage &prepare : prepareStages) {
    if (!status.ok() || !isStale(prepare, remade))
      continue;
    status = remake(prepare);
    prepare.stale = false;
    remade.push_back(&prepare);
  }
  if (remade.empty())
    return Status();
  if (status.ok())
    status = waitForWork();
  if (!status.ok()) {
    work->restart();
    for (PrepareStage *prepare : remade)
      prepare->stale = true;
  }
  return status;
}

/// Whether the values are those of every Session: no variable was set here that
/// they are made of.
bool DevicePartition::readsFirstValues(const PrepareStage &prepare) const {
  return std::all_of(prepare.variables.begin(), prepare.variables.end(),
                     [&](uint32_t i) { return variables.isFirst(i); }) &&
         std::all_of(prepareStages.begin(), prepareStages.end(),
                     [&](const PrepareStage &other) {
                       return other.isShared ||
                              !std::count(prepare.makers.begin(),
                                          prepare.makers.end(), other.stage);
                     });
}

Status DevicePartition::remake(PrepareStage &prepare) {
  if (!prepare.isShareable) {
    runPrepare(prepare);
    return Status();
  }
  const bool isShared = readsFirstValues(prepare);
  if (isShared) {
    SMP_ASSIGN_OR_RETURN(prepare.values, variables.parts().prepared(
                                             owned->kind(), prepare.stage, [&] {
                                               return makeValues(prepare);
                                             }));
  } else if (prepare.isShared || !prepare.values) {
    SMP_ASSIGN_OR_RETURN(prepare.values, makeValues(prepare));
  } else {
    runPrepare(prepare);
  }
  // Not before: where that failed, the next try must not write to what others
  // have.
  prepare.isShared = isShared;
  pointAt(prepare, *prepare.values);
  return Status();
}

/// In new memory, and complete when it returns.
StatusOr<std::shared_ptr<const SharedParts::Values>>
DevicePartition::makeValues(const PrepareStage &prepare) {
  auto values = std::make_shared<SharedParts::Values>();
  for (uint32_t number : prepare.outputs) {
    SMP_ASSIGN_OR_RETURN(
        auto memory, owned->allocateShared(preparedBuffers[number]->size()));
    values->push_back(std::move(memory));
  }
  pointAt(prepare, *values);
  runPrepare(prepare);
  SMP_RETURN_IF_ERROR(waitForWork());
  return std::shared_ptr<const SharedParts::Values>(std::move(values));
}

void DevicePartition::pointAt(const PrepareStage &prepare,
                              const SharedParts::Values &values) {
  for (size_t i = 0; i < values.size(); ++i) {
    Buffer &buffer = *preparedBuffers[prepare.outputs[i]];
    owned->reimportHost(buffer, values[i].get(), buffer.size());
  }
}

void DevicePartition::runPrepare(const PrepareStage &prepare) {
  std::vector<BufferView> outputs(program.stages[prepare.stage].outputs.size());
  for (uint32_t number : prepare.outputs)
    outputs[program.prepared[number].output] = {preparedBuffers[number].get()};
  codes[prepare.stage]->run(*work, {{}, outputs}, nullptr);
}

uint64_t DevicePartition::sharedBytes() const {
  uint64_t bytes = 0;
  for (const PrepareStage &prepare : prepareStages)
    for (uint32_t number : prepare.outputs)
      bytes += prepare.isShared ? preparedBuffers.at(number)->size() : 0;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Work done
//===----------------------------------------------------------------------===//

/// What the tensors hold, each counted once.
static uint64_t bytesOf(std::span<const BufferRef> tensors) {
  uint64_t bytes = 0;
  for (auto at = tensors.begin(); at != tensors.end(); ++at)
    if (std::find(tensors.begin(), at, *at) == at)
      bytes += at->bytes;
  return bytes;
}

static uint64_t bytesOf(const Launch &launch, const Kernel &kernel) {
  const std::span<const BufferRef> all = launch.buffers;
  const size_t inputs = all.size() - kernel.numOutputs;
  return bytesOf(all.first(inputs)) + bytesOf(all.subspan(inputs));
}

void DevicePartition::addWork(std::vector<KernelWork> &list) const {
  std::map<uint32_t, uint64_t> bytes; // By kernel, of one launch.
  for (const Stage &stage : program.stages)
    if (stage.partition == index)
      for (const Launch &launch : stage.launches)
        bytes[launch.kernel] = bytesOf(launch, program.kernels[launch.kernel]);
  for (const auto &[number, kernel] : kernels)
    if (const auto counts = kernel->counts())
      list.push_back({program.kernels[number].name, index, *counts,
                      counts->launches * bytes[number]});
}

} // namespace smp
