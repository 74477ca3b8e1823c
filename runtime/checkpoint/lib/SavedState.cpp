// SPDX-License-Identifier: Apache-2.0
#include "SavedState.h"
#include "smp/base/Lists.h"

namespace smp {

StatusOr<std::unique_ptr<SavedState>>
SavedState::make(const Checkpoint &checkpoint, uint32_t rank) {
  std::unique_ptr<SavedState> made(new SavedState(checkpoint));
  std::map<SessionCore *, std::vector<std::string>> names;
  for (const Checkpoint::Root &root : checkpoint.roots()) {
    if (!root.session())
      continue;
    SMP_ASSIGN_OR_RETURN(made->keyed[&root], variablesOf(root));
    std::vector<std::string> &held = names[root.session()];
    for (const KeyedVariable &variable : made->keyed[&root])
      if (variable.rank == rank)
        held.push_back(variable.variable);
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

double SavedState::costSeconds() const {
  double sum = heldNow() - heldBefore;
  for (const auto &[session, snapshot] : sessions)
    sum += snapshot->readSeconds();
  return sum;
}

/// What has data is what had it when the Checkpoint was made.
Status SavedState::checkNames() const {
  std::vector<std::string> expected, found;
  for (const Checkpoint::Root &root : checkpoint.roots()) {
    if (root.hasData())
      expected.push_back(root.name());
    if (!root.value() || root.value()->hasData())
      found.push_back(root.name());
  }
  if (found == expected)
    return Status();
  return failedPrecondition("Saveable keys changed when validating. Got back " +
                            listNames(found) + ", was expecting " +
                            listNames(expected) +
                            "; what has data is fixed when the Checkpoint is "
                            "made");
}

Status SavedState::takeValue(const Checkpoint::Root &root) {
  SavedValue &value = values[root.name()];
  SMP_ASSIGN_OR_RETURN(value, root.value()->save());
  const std::optional<int64_t> bytes = checkedBytes({value.dtype, value.shape});
  if (bytes && uint64_t(*bytes) == value.bytes.size())
    return Status();
  return invalidArgument("it gives " + std::to_string(value.bytes.size()) +
                         " bytes as " + toString({value.dtype, value.shape}) +
                         "; they must be as many as that has");
}

Status SavedState::begin(Lends lends) {
  heldBefore = heldNow();
  SMP_RETURN_IF_ERROR(checkNames());
  checkpoint.countSave();
  for (const Checkpoint::Root &root : checkpoint.roots()) {
    const std::string where = "value '" + root.name() + "'";
    if (root.value() && root.hasData())
      SMP_RETURN_IF_ERROR(takeValue(root).in(where));
    if (root.sharded())
      SMP_RETURN_IF_ERROR(
          slicesOf[root.name()].take(*root.sharded()).in(where));
  }
  for (auto &[session, snapshot] : sessions)
    SMP_RETURN_IF_ERROR(snapshot->begin(lends));
  return Status();
}

void SavedState::noteOffset(const std::byte *bytes, uint64_t offset) {
  for (auto &[session, snapshot] : sessions)
    snapshot->noteOffset(bytes, offset);
}

Status SavedState::wait() const {
  for (const auto &[session, snapshot] : sessions)
    SMP_RETURN_IF_ERROR(snapshot->wait());
  return Status();
}

void SavedState::drop() {
  for (const auto &[session, snapshot] : sessions)
    snapshot->drop();
}

/// Null: it is of no variable.
VariableSnapshot *SavedState::ownerOf(Bytes part) const {
  for (const auto &[session, snapshot] : sessions)
    if (snapshot->has(part))
      return snapshot.get();
  return nullptr;
}

StatusOr<Borrowed::Bytes> SavedState::borrow(Bytes part) {
  VariableSnapshot *const owner = ownerOf(part);
  return owner ? owner->borrow(part) : StatusOr<Bytes>(part);
}

void SavedState::giveBack(Bytes part, Bytes borrowed) {
  if (VariableSnapshot *const owner = ownerOf(part))
    owner->giveBack(part, borrowed);
}

bool SavedState::confirm(Bytes part, Bytes borrowed) {
  VariableSnapshot *const owner = ownerOf(part);
  return !owner || owner->confirm(part, borrowed);
}

} // namespace smp
