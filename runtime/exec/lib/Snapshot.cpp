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

uint64_t SessionCore::fingerprint() const {
  return state->runnable->fingerprint();
}

void SessionCore::log(LogLevel level, std::string_view line) {
  state->log(level, line);
}

} // namespace smp
