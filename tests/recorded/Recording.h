// SPDX-License-Identifier: Apache-2.0
// Steps of a program and what they gave on one machine, as files that are
// played again on another, where there is neither compiler nor reference.

#ifndef SMP_TESTS_RECORDED_RECORDING_H
#define SMP_TESTS_RECORDED_RECORDING_H

#include "KernelTensors.h"
#include "smp/base/Status.h"
#include <string>

namespace smp::test {

/// One step of an entry: inputs and results in the order of its signature.
struct RecordedStep {
  std::string entry;
  std::vector<HostTensor> inputs, results;
  std::string error; ///< Not empty: the step failed with this message.
  /// What all inputs are drawn from; empty: they are recorded as they are.
  std::vector<DrawnTensor> drawn = {};
  /// Of a step that was read, by result: of one that is large there is the
  /// digest alone; else it is empty.
  std::vector<std::string> digests = {};
};

/// A recording is two files: PATH.smp, the program, and PATH.safetensors, whose
/// tensors are called "<entry>/i0", "<entry>/o0" and so on. Its metadata has
/// the error of each entry, and in place of tensors what inputs are drawn from
/// and digests of large results. Each entry is recorded once.
Status writeRecording(const std::string &path,
                      std::span<const std::byte> program,
                      std::span<const RecordedStep> steps);
/// The steps, sorted by entry.
StatusOr<std::vector<RecordedStep>> readRecording(const std::string &path);

} // namespace smp::test

#endif // SMP_TESTS_RECORDED_RECORDING_H
