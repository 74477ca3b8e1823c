// SPDX-License-Identifier: Apache-2.0
// Copies of variables, made while steps run.

#ifndef SMP_EXEC_VARIABLESNAPSHOT_H
#define SMP_EXEC_VARIABLESNAPSHOT_H

#include "smp/base/Borrowed.h"
#include "smp/exec/SessionCore.h"

namespace smp {

/// Values that variables of a Session have between two steps, in memory that is
/// taken once and used again: begin() allocates nothing after the first.
///
/// begin() copies what steps change by microbatches. The rest is read by a
/// thread and streams of the Session's own while the next step runs; its
/// update, SessionCore::setVariable() and writeSnapshot() wait until it is
/// read. Where the host can read a device's memory it may be lent instead: then
/// only what nobody has used by then is copied.
class VariableSnapshot : public ByteLender {
public:
  /// Of variables whose values this rank can get. Borrows the Session.
  static StatusOr<std::unique_ptr<VariableSnapshot>>
  make(SessionCore &session, std::span<const std::string> names);
  /// Waits until nothing is being read.
  ~VariableSnapshot() override;

  /// What is lent: nothing, so that all can be read in bytes(); as much as was
  /// used before the next update the last times; or all, where no update is to
  /// come before it is used.
  enum class Lends : uint8_t { Nothing, InTime, All };
  /// Takes the values as they are now; those taken before are no more valid.
  /// Fails while a step runs, and after one that failed in its update. Unless
  /// it lends nothing, all is read by borrow() and confirmed, at best in the
  /// order of noteOffset().
  Status begin(Lends lends = Lends::Nothing);
  /// Waits until all of them are read that are not lent. Any thread may call
  /// it; only after it are bytes() those of begin(). When nothing is read for
  /// as long as the Session's deadline is, that is an error.
  Status wait();
  /// The values of begin() are not needed any more. Any thread.
  void drop();

  /// Whether a part of memory begins in bytes().
  bool has(std::span<const std::byte> part) const;
  /// Of parts of bytes(), which may be there long before the rest. What was
  /// lent is moved when an update comes before it is used.
  StatusOr<Bytes> borrow(Bytes part) override;
  void giveBack(Bytes part, Bytes borrowed) override;
  bool confirm(Bytes part, Bytes borrowed) override;

  /// Says that the variable at `bytes` is written to this offset of a file.
  /// From the next begin() on its address is the offset modulo
  /// kDirectAlignment, and variables lie in the order of these calls: so a file
  /// may be written from here past the page cache. For other memory there is
  /// nothing to do. Not beside begin().
  void noteOffset(const std::byte *bytes, uint64_t offset);

  /// Of `names[i]`, until the next begin(). What is lent is read by borrow()
  /// alone.
  std::span<const std::byte> bytes(size_t i) const;
  /// Of a processor, that reading them has taken on the Session's thread.
  double readSeconds() const;
  /// How many steps had been made.
  const StepCounts &steps() const;

  struct State;

private:
  friend struct SnapshotParts; // Of the tests: the gate that updates wait at.
  explicit VariableSnapshot(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace smp

#endif // SMP_EXEC_VARIABLESNAPSHOT_H
