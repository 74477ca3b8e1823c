// SPDX-License-Identifier: Apache-2.0
// Measures what a program's kernels take, and links between devices: what
// smp-run --profile does.

#ifndef SMP_TOOLS_PROFILEPROGRAM_H
#define SMP_TOOLS_PROFILEPROGRAM_H

#include "smp/model/Costs.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/Program.h"

namespace smp {

struct ProfileRequest {
  /// As SessionOptions::devices: one per partition, or that many several times.
  /// Each part of the list runs the whole program, all at once: so a program
  /// that was not divided is measured as it runs where all devices are busy.
  /// Empty: once, on the devices that a Session takes.
  std::string devices;
  std::string entry;
  uint32_t microbatches = 0; ///< 0: what the inputs say.
  uint32_t steps = 20;    ///< That count, of each part; after two that do not.
  SessionOptions session; ///< But for devices and the profile.
  /// Ends the measurement after the steps that run; empty: nothing does.
  std::function<bool()> interrupted;
};

/// Measures the program: what each of its kernels that the entry launches takes
/// on each kind of device, and what handing tensors over takes between devices
/// of the list.
StatusOr<Costs> profileProgram(const SharedProgram &shared,
                               const Program &program,
                               std::span<const InputTensor> inputs,
                               const ProfileRequest &request);

} // namespace smp

#endif // SMP_TOOLS_PROFILEPROGRAM_H
