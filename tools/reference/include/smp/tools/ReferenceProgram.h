// SPDX-License-Identifier: Apache-2.0
// Running a program's entries with the reference evaluator.

#ifndef SMP_TOOLS_REFERENCEPROGRAM_H
#define SMP_TOOLS_REFERENCEPROGRAM_H

#include "smp/exec/RunnableProgram.h"
#include <map>

namespace smp {

using NamedTensors = std::map<std::string, HostTensor, std::less<>>;

/// An output of a step: joined along the batch axis; without one, the values of
/// all microbatches, or the step's only one, one after the other.
struct ReferenceOutput {
  TensorType type; ///< Joined, or of one value.
  std::vector<std::byte> bytes;
  int32_t batchAxis = -1;
  uint32_t microbatches = 1; ///< How many values there are.

  /// The last value, or all when they are joined.
  std::byte *last() { return bytes.data() + bytes.size() - type.bytes(); }
};

/// A program whose ops are plain loops. Its variables live from step to step.
class ReferenceProgram {
public:
  static StatusOr<ReferenceProgram>
  open(std::shared_ptr<RunnableProgram> program);

  /// One step: the microbatches of the inputs in order, then what is computed
  /// once. Outputs are in the order of the entry's. `microbatches` is 0, or how
  /// many the inputs hold. A step that fails changes no variable.
  StatusOr<std::vector<ReferenceOutput>> step(std::string_view entry,
                                              const NamedTensors &inputs,
                                              uint32_t microbatches = 0);

  const NamedTensors &values() const { return variables; }

private:
  std::shared_ptr<RunnableProgram> program;
  NamedTensors variables;
};

} // namespace smp

#endif // SMP_TOOLS_REFERENCEPROGRAM_H
