// SPDX-License-Identifier: Apache-2.0
// What is saved of which outputs of a program.

#ifndef SMP_CAPTURE_STEPCAPTURE_H
#define SMP_CAPTURE_STEPCAPTURE_H

#include "Collections.h"
#include "StepRecords.h"
#include "smp/exec/StepObserver.h"
#include <map>

namespace smp {

/// All microbatches of an output, in its memory.
struct JoinedOutput {
  explicit JoinedOutput(const OutputTensor &output);
  StepValue value() const { return {dtype, shape, bytes}; }

  DType dtype;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Chooses among a program's outputs by the collections of a configuration.
class StepCapture {
public:
  /// Fails for a wrong configuration, and for outputs that readers would
  /// misread.
  static StatusOr<StepCapture> prepare(const HookConfig &config,
                                       const std::set<std::string> &outputs);

  /// Whether something of the output is saved at the step.
  bool wants(std::string_view output, Mode mode, uint64_t modeStep) const;
  /// Adds what the collections save of it at the step.
  Status save(std::string_view output, const StepValue &value,
              const CompletedStep &step, StepRecords &records) const;
  /// The text of the collections file.
  std::string collectionsFile() const { return collections.json(); }

private:
  explicit StepCapture(Collections collections)
      : collections(std::move(collections)) {}

  Collections collections;
  /// Of each output those that are saved; they are of `collections`.
  std::map<std::string, std::vector<const Collection *>, std::less<>> having;
};

} // namespace smp

#endif // SMP_CAPTURE_STEPCAPTURE_H
