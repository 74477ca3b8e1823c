// SPDX-License-Identifier: Apache-2.0
// What a save takes between two steps.

#ifndef SMP_CHECKPOINT_SAVEDSTATE_H
#define SMP_CHECKPOINT_SAVEDSTATE_H

#include "Keys.h"
#include "SavedSlices.h"
#include "smp/exec/VariableSnapshot.h"
#include <map>

namespace smp {

/// The variables of a Checkpoint that this rank holds, and its values, as they
/// are when begin() is called. The memory of variables is taken once.
class SavedState : public ByteLender {
public:
  /// Borrows the Checkpoint.
  static StatusOr<std::unique_ptr<SavedState>>
  make(const Checkpoint &checkpoint, uint32_t rank);
  using Lends = VariableSnapshot::Lends;
  /// Between two steps. Counts the save.
  Status begin(Lends lends);
  /// Until all of it is there that is not lent; on any thread.
  Status wait() const;
  /// What begin() took is not needed any more; on any thread.
  void drop();
  /// Of variables, as VariableSnapshot has it. Other memory is there.
  StatusOr<Bytes> borrow(Bytes part) override;
  void giveBack(Bytes part, Bytes borrowed) override;
  bool confirm(Bytes part, Bytes borrowed) override;

  /// Says that the variable at `bytes`, if it is one, is written to this offset
  /// of a file, as those are from now on: begin() puts it where that takes no
  /// copy. In the order of files and of offsets, and not beside begin().
  void noteOffset(const std::byte *bytes, uint64_t offset);

  /// For how long updates have waited since begin(), and what reading has taken
  /// of a processor.
  double costSeconds() const;

  const Checkpoint &roots() const { return checkpoint; }
  /// Of all ranks, of a root that is a Session's.
  const std::vector<KeyedVariable> &
  variables(const Checkpoint::Root &root) const {
    return keyed.at(&root);
  }
  /// Of a Session, in the order of its roots and of their variables() of this
  /// rank.
  std::span<const std::byte> variable(SessionCore &session, size_t i) const {
    return sessions.at(&session)->bytes(i);
  }
  const StepCounts &steps(SessionCore &session) const {
    return sessions.at(&session)->steps();
  }
  /// By the name of the root, which has data.
  const SavedValue &value(const std::string &root) const {
    return values.at(root);
  }
  const SavedSlices &slices(const std::string &root) const {
    return slicesOf.at(root);
  }

private:
  explicit SavedState(const Checkpoint &checkpoint) : checkpoint(checkpoint) {}
  double heldNow() const;
  VariableSnapshot *ownerOf(Bytes part) const;
  Status checkNames() const;
  Status takeValue(const Checkpoint::Root &root);

  const Checkpoint &checkpoint;
  std::map<const Checkpoint::Root *, std::vector<KeyedVariable>> keyed;
  std::map<SessionCore *, std::unique_ptr<VariableSnapshot>> sessions;
  std::map<std::string, SavedValue> values;
  std::map<std::string, SavedSlices> slicesOf;
  double heldBefore = 0;
};

} // namespace smp

#endif // SMP_CHECKPOINT_SAVEDSTATE_H
