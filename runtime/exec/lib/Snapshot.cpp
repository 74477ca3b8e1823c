// SPDX-License-Identifier: Apache-2.0
// Several variables at once: what checkpoints read and write.
#include "SessionState.h"
#include "smp/device/Communicator.h"

namespace smp {

Status SessionCore::readSnapshot(std::span<const VariableBytes> variables,
                                 StepCounts &steps) {
  SMP_RETURN_IF_ERROR(state->enter());
  Status status = state->checkSound();
  for (const VariableBytes &variable : variables)
    if (status.ok())
      status = state->getVariable(variable.name, variable.bytes);
  steps = state->observers.counts;
  state->leave();
  return status;
}

Status SessionCore::writeSnapshot(std::span<const InputTensor> variables,
                                  const StepCounts &steps) {
  SMP_RETURN_IF_ERROR(state->enter());
  Status status;
  for (const InputTensor &variable : variables)
    if (status.ok())
      status = state->setVariable(variable.name, variable.tensor);
  if (status.ok())
    state->observers.counts = steps;
  state->leave();
  return status;
}

uint32_t SessionCore::rankCount() const {
  return state->communicator() ? state->communicator()->size() : 1;
}

std::vector<uint32_t> SessionCore::variableRanks() const {
  const Program &program = state->program();
  // By variable.
  std::vector<uint32_t> first(program.variables.size(), UINT32_MAX);
  for (const Stage &stage : program.stages)
    for (const Launch &launch : stage.launches)
      for (const BufferRef &ref : launch.buffers)
        if (ref.space == Space::Variable)
          first[ref.index] = std::min(first[ref.index], stage.partition);
  std::vector<uint32_t> ranks;
  for (size_t i = 0; i < first.size(); ++i)
    if (program.variables[i].kind != VariableKind::Accumulator)
      ranks.push_back(first[i] == UINT32_MAX ? 0 : state->ranks[first[i]]);
  return ranks;
}

uint64_t SessionCore::fingerprint() const {
  return state->runnable->fingerprint();
}

void SessionCore::log(LogLevel level, std::string_view line) {
  state->log(level, line);
}

} // namespace smp
