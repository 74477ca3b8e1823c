// SPDX-License-Identifier: Apache-2.0
// A loaded program with its variables' first values, for one Session or many.

#ifndef SMP_EXEC_RUNNABLEPROGRAM_H
#define SMP_EXEC_RUNNABLEPROGRAM_H

#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Safetensors.h"
#include <memory>
#include <mutex>

namespace smp {

class SharedParts;

/// Immutable to those who use it; any thread may.
class RunnableProgram {
public:
  /// Maps the program and its weights.
  static StatusOr<std::shared_ptr<RunnableProgram>>
  open(const std::string &path);
  /// Both outlive the result; `weights` are those beside the program.
  static StatusOr<std::shared_ptr<RunnableProgram>>
  read(std::span<const std::byte> bytes, std::span<const std::byte> weights);

  const Program &program() const { return loaded.program(); }
  /// The bytes that a variable starts with: where they are mapped, or made once
  /// for all Sessions. Aligned to the element size. The first call checks the
  /// digest of all stored weights.
  StatusOr<std::span<const std::byte>> initialValue(uint32_t variable);
  /// What ranks compare to be sure that they run the same program.
  uint64_t fingerprint() const { return identity; }
  double readSeconds() const { return seconds; }
  /// What Sessions have made of it for each other.
  SharedParts &parts() { return *shared; }
  ~RunnableProgram();

private:
  explicit RunnableProgram(LoadedProgram loaded);
  Status openWeights();
  StatusOr<std::span<const std::byte>> storedValue(const Variable &variable,
                                                   uint32_t index);

  LoadedProgram loaded;
  uint64_t identity = 0;
  double seconds = 0;
  std::unique_ptr<SharedParts> shared; // Has a lock of its own.

  std::mutex lock; // Guards what follows.
  bool weightsOpened = false;
  Safetensors weights;
  std::vector<std::vector<std::byte>> made; // By variable; empty: not made.
};

} // namespace smp

#endif // SMP_EXEC_RUNNABLEPROGRAM_H
