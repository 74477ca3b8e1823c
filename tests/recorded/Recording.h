// SPDX-License-Identifier: Apache-2.0
// Steps of a program and what they gave on one machine, as files that are
// played again on another, where there is neither compiler nor reference.

#ifndef SMP_TESTS_RECORDED_RECORDING_H
#define SMP_TESTS_RECORDED_RECORDING_H

#include "smp/base/Status.h"
#include "smp/model/HostTensor.h"
#include <string>

namespace smp::test {

/// One step of an entry: inputs and results in the order of its signature.
struct RecordedStep {
  std::string entry;
  std::vector<HostTensor> inputs, results;
  std::string error; ///< Not empty: the step failed with this message.
};

/// A recording is two files: PATH.smp, the program, and PATH.safetensors, whose
/// metadata has the error of each entry, whose tensors are called
/// "<entry>/i0", "<entry>/o0" and so on. Each entry is recorded once.
Status writeRecording(const std::string &path,
                      std::span<const std::byte> program,
                      std::span<const RecordedStep> steps);
/// The steps, sorted by entry.
StatusOr<std::vector<RecordedStep>> readRecording(const std::string &path);

} // namespace smp::test

#endif // SMP_TESTS_RECORDED_RECORDING_H
