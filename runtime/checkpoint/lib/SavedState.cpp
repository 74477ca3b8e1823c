// SPDX-License-Identifier: Apache-2.0
#include "SavedState.h"
#include "Keys.h"

namespace smp {

StatusOr<std::unique_ptr<SavedState>>
SavedState::make(const Checkpoint &checkpoint, uint32_t rank) {
  std::unique_ptr<SavedState> made(new SavedState(checkpoint));
  std::map<SessionCore *, std::vector<std::string>> names;
  for (const Checkpoint::Root &root : checkpoint.roots()) {
    if (!root.session())
      continue;
    SMP_ASSIGN_OR_RETURN(std::vector<KeyedVariable> variables,
                         variablesOf(root));
    std::vector<std::string> &held = names[root.session()];
    for (KeyedVariable &variable : variables)
      if (variable.rank == rank)
        held.push_back(std::move(variable.variable));
  }
  for (const auto &[session, held] : names) {
    SMP_ASSIGN_OR_RETURN(made->sessions[session],
                         VariableSnapshot::make(*session, held));
  }
  return made;
}

double SavedState::heldNow() const {
  double sum = 0;
  for (const auto &[session, snapshot] : sessions)
    sum += session->heldSeconds();
  return sum;
}

Status SavedState::begin() {
  heldBefore = heldNow();
  for (const Checkpoint::Root &root : checkpoint.roots())
    if (root.value()) {
      SMP_ASSIGN_OR_RETURN(
          values[root.name()],
          root.value()->save().in("value '" + root.name() + "'"));
    }
  for (auto &[session, snapshot] : sessions)
    SMP_RETURN_IF_ERROR(snapshot->begin());
  return Status();
}

Status SavedState::wait() {
  for (auto &[session, snapshot] : sessions)
    SMP_RETURN_IF_ERROR(snapshot->wait());
  return Status();
}

} // namespace smp
