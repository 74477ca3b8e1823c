// SPDX-License-Identifier: Apache-2.0
#include "smp/exec/SessionCore.h"
#include "OpenSession.h"
#include <cstring>

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
      status =
          communicator->barrier({state->firstEpoch, readyKey(), 0},
                                deadlineAfter(state->options.deadlineSeconds));
  }
  if (!status.ok())
    return status;
  return std::unique_ptr<SessionCore>(new SessionCore(std::move(state)));
}

StatusOr<StepOutput> SessionCore::step(std::string_view entry,
                                       std::span<const InputTensor> inputs,
                                       const StepOptions &options) {
  SMP_RETURN_IF_ERROR(state->enter());
  StatusOr<StepOutput> output = state->step(entry, inputs, options);
  state->leave();
  return output;
}

void SessionCore::requestStop() {
  state->stopRequested = true;
  state->control.fail(Status(StatusCode::Cancelled, "a stop was requested"));
}

void SessionCore::clearStop() { state->stopRequested = false; }

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

StatusOr<uint32_t>
SessionCore::State::findVariable(std::string_view name) const {
  const std::vector<Variable> &all = program().variables;
  for (uint32_t i = 0; i < all.size(); ++i)
    if (all[i].name == name)
      return i;
  return invalidArgument("the program has no variable '" + std::string(name) +
                         "' among its " + std::to_string(all.size()));
}

Status SessionCore::State::setVariable(std::string_view name,
                                       const TensorView &value) {
  StatusOr<uint32_t> index = findVariable(name);
  if (!index.ok())
    return index.status();
  const TensorType &type = program().variables[*index].type;
  const TensorType given{value.dtype,
                         Shape(value.shape.begin(), value.shape.end())};
  if (!(given == type))
    return invalidArgument("variable '" + std::string(name) + "' is a " +
                           toString(type) + "; it was given a " +
                           toString(given));
  variables.set(*index, {static_cast<const std::byte *>(value.data),
                         size_t(type.bytes())});
  unsound[*index] = false;
  for (auto &partition : partitions)
    if (partition)
      variablesChanged |= partition->markChanged(*index);
  return Status();
}

Status SessionCore::State::getVariable(std::string_view name,
                                       std::span<std::byte> bytes) {
  StatusOr<uint32_t> index = findVariable(name);
  if (!index.ok())
    return index.status();
  const TensorType &type = program().variables[*index].type;
  if (bytes.size() != size_t(type.bytes()))
    return invalidArgument(
        "variable '" + std::string(name) + "' is a " + toString(type) + " of " +
        std::to_string(type.bytes()) + " bytes; there is room for " +
        std::to_string(bytes.size()));
  bool isHere = !variables.isAssigned(*index);
  for (auto &partition : partitions) {
    if (partition && partition->owns(*index))
      return partition->readVariable(*index, bytes);
    isHere |= partition && partition->uses(*index);
  }
  if (!isHere)
    return failedPrecondition("variable '" + std::string(name) +
                              "' is on a device of another rank, which "
                              "changes it; get it there");
  StatusOr<std::span<const std::byte>> value = variables.value(*index);
  if (!value.ok())
    return value.status();
  if (!bytes.empty())
    std::memcpy(bytes.data(), value->data(), bytes.size());
  return Status();
}

Status SessionCore::setVariable(std::string_view name,
                                const TensorView &value) {
  SMP_RETURN_IF_ERROR(state->enter());
  Status status = state->setVariable(name, value);
  state->leave();
  return status;
}

Status SessionCore::getVariable(std::string_view name,
                                std::span<std::byte> bytes) {
  SMP_RETURN_IF_ERROR(state->enter());
  Status status = state->getVariable(name, bytes);
  state->leave();
  return status;
}

} // namespace smp
