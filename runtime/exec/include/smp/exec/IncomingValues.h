// SPDX-License-Identifier: Apache-2.0
// Values that variables are to have, before they have them.

#ifndef SMP_EXEC_INCOMINGVALUES_H
#define SMP_EXEC_INCOMINGVALUES_H

#include "smp/exec/SessionCore.h"

namespace smp {

class Variables;

/// Memory for values of variables of a Session, which SessionCore::
/// writeSnapshot() makes theirs without a copy: so all of them may be read and
/// checked before one of them changes.
class IncomingValues {
public:
  /// ResourceExhausted: there is no such memory.
  static StatusOr<IncomingValues> make(SessionCore &session,
                                       std::span<const std::string> names);
  IncomingValues(IncomingValues &&) noexcept;
  IncomingValues &operator=(IncomingValues &&) noexcept;
  ~IncomingValues();

  /// Of `names[i]`: for the caller to fill.
  std::span<std::byte> bytes(size_t i);

private:
  friend class SessionCore;
  struct State;
  explicit IncomingValues(std::unique_ptr<State> state);
  void give(Variables &variables);
  std::unique_ptr<State> state;
};

} // namespace smp

#endif // SMP_EXEC_INCOMINGVALUES_H
