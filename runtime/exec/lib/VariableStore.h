// SPDX-License-Identifier: Apache-2.0
// The variables of one Session, on the host.

#ifndef SMP_EXEC_VARIABLESTORE_H
#define SMP_EXEC_VARIABLESTORE_H

#include "smp/exec/RunnableProgram.h"

namespace smp {

/// Values that were never set are those of the program, which Sessions share.
class VariableStore {
public:
  explicit VariableStore(std::shared_ptr<RunnableProgram> program)
      : source(std::move(program)), own(source->program().variables.size()) {}

  const Program &program() const { return source->program(); }
  /// The value now; stays where it is until the first set().
  StatusOr<std::span<const std::byte>> value(uint32_t variable);
  /// `bytes` has the variable's size.
  void set(uint32_t variable, std::span<const std::byte> bytes);

private:
  std::shared_ptr<RunnableProgram> source;
  std::vector<std::vector<std::byte>> own; // Empty: never set.
};

} // namespace smp

#endif // SMP_EXEC_VARIABLESTORE_H
