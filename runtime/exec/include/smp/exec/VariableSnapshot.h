// SPDX-License-Identifier: Apache-2.0
// Copies of variables, made while steps run.

#ifndef SMP_EXEC_VARIABLESNAPSHOT_H
#define SMP_EXEC_VARIABLESNAPSHOT_H

#include "smp/exec/SessionCore.h"

namespace smp {

/// Values that variables of a Session have between two steps, in memory that is
/// taken once and used again: begin() allocates nothing after the first.
///
/// begin() copies what steps change by microbatches. The rest is read by a
/// thread and streams of the Session's own while the next step runs; its
/// update, SessionCore::setVariable() and writeSnapshot() wait until it is
/// read.
class VariableSnapshot {
public:
  /// Of variables whose values this rank can get. Borrows the Session.
  static StatusOr<std::unique_ptr<VariableSnapshot>>
  make(SessionCore &session, std::span<const std::string> names);
  /// Waits until nothing is being read.
  ~VariableSnapshot();

  /// Takes the values as they are now; those taken before are no more valid.
  /// Fails while a step runs, and after one that failed in its update.
  Status begin();
  /// Waits until all of them are read. Any thread may call it; only after it
  /// are bytes() those of begin(). When nothing is read for as long as the
  /// Session's deadline is, that is an error.
  Status wait();
  /// The same for a part of bytes(), which may be there long before the rest.
  /// For other memory there is nothing to wait.
  Status wait(std::span<const std::byte> part);

  /// Says that the variable at `bytes` is written to this offset of a file.
  /// From the next begin() on its address is the offset modulo
  /// kDirectAlignment, and variables lie in the order of these calls: so a file
  /// may be written from here past the page cache. For other memory there is
  /// nothing to do. Not beside begin().
  void noteOffset(const std::byte *bytes, uint64_t offset);

  /// Of `names[i]`, until the next begin().
  std::span<const std::byte> bytes(size_t i) const;
  /// Of a processor, that reading them has taken on the Session's thread.
  double readSeconds() const;
  /// How many steps had been made.
  const StepCounts &steps() const;

  struct State;

private:
  explicit VariableSnapshot(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace smp

#endif // SMP_EXEC_VARIABLESNAPSHOT_H
