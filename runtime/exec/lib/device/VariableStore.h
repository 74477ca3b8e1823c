// SPDX-License-Identifier: Apache-2.0
// The variables of one Session, on the host.

#ifndef SMP_EXEC_VARIABLESTORE_H
#define SMP_EXEC_VARIABLESTORE_H

#include "../tensors/Slots.h"
#include "smp/exec/RunnableProgram.h"

namespace smp {

/// Values that were never set are those of the program, which Sessions share.
/// Where a step assigns a variable, its value is on the device that does.
class VariableStore {
public:
  explicit VariableStore(std::shared_ptr<RunnableProgram> program)
      : source(std::move(program)), own(source->program().variables.size()),
        everSet(own.size()), assigned(assignedVariables(source->program())) {}

  const Program &program() const { return source->program(); }
  /// Whether some stage writes the variable.
  bool isAssigned(uint32_t variable) const { return assigned[variable]; }
  /// Whether the value is the program's, or was: nobody has set it.
  bool isFirst(uint32_t variable) const { return !everSet[variable]; }
  /// What Sessions of the program have in common.
  SharedParts &parts() const { return source->parts(); }
  /// The value now; stays where it is until the first set().
  StatusOr<std::span<const std::byte>> value(uint32_t variable);
  /// `bytes` has the variable's size.
  Status set(uint32_t variable, std::span<const std::byte> bytes);
  /// The same, of memory that is the value from now on.
  void take(uint32_t variable, HostMemory value);
  /// Forgets a value that a device has now.
  void drop(uint32_t variable);

private:
  std::shared_ptr<RunnableProgram> source;
  std::vector<HostMemory> own; // Empty: never set.
  std::vector<bool> everSet;   // Even when a device has the value now.
  std::vector<bool> assigned;
};

} // namespace smp

#endif // SMP_EXEC_VARIABLESTORE_H
