// SPDX-License-Identifier: Apache-2.0
// The variables of a Session, wherever their values are.

#ifndef SMP_EXEC_VARIABLES_H
#define SMP_EXEC_VARIABLES_H

#include "../device/DevicePartition.h"
#include "smp/exec/SessionTypes.h"

namespace smp {

/// Values by name, brought to devices before a step and back on demand; and
/// whether they are those of one step. Calls come one at a time, between steps.
class Variables {
public:
  /// By partition; null on another rank. Filled once the Session is opened.
  using Partitions = std::vector<std::unique_ptr<DevicePartition>>;

  /// Borrows the partitions.
  Variables(std::shared_ptr<RunnableProgram> program,
            const Partitions &partitions);

  /// For partitions that are loaded.
  VariableStore &store() { return values; }

  Status set(std::string_view name, const TensorView &value);
  /// Sets it to what this memory has, of the variable's size.
  void take(uint32_t variable, HostMemory value);
  /// Another rank has set a variable that no partition of this one uses.
  Status setElsewhere(std::string_view name);
  /// `bytes` has the variable's size; the value is on this rank.
  Status get(std::string_view name, std::span<std::byte> bytes);
  Status get(uint32_t variable, std::span<std::byte> bytes);
  StatusOr<uint32_t> find(std::string_view name) const;
  uint64_t bytesOf(uint32_t variable) const {
    return uint64_t(program().variables[variable].type.bytes());
  }
  /// The partition, of this rank, that has the only value after a step; null:
  /// there is none.
  DevicePartition *assigner(uint32_t variable) const;

  /// Before a step: brings to devices what was set since the last.
  Status refresh();
  /// Fails when an earlier step failed while it changed variables.
  Status checkSound() const;

  /// A step failed. What it had changed by microbatches is put back before the
  /// next one, if its update had not begun; else variables are unsound until
  /// they are set.
  void noteFailure(bool hasPlayed, bool updateBegan);
  /// When the failed step's kernels are done.
  Status putBack();

private:
  const Program &program() const { return values.program(); }
  void noteSet(uint32_t variable);
  void markUnsound();

  VariableStore values;
  const Partitions &partitions;
  /// By variable: it may have the value of a step that failed.
  std::vector<bool> unsound;
  /// By variable: the value here is an old one.
  std::vector<bool> isElsewhere;
  bool isChanged = false, mustPutBack = false;
};

} // namespace smp

#endif // SMP_EXEC_VARIABLES_H
