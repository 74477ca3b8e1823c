// SPDX-License-Identifier: Apache-2.0
// What the command line asks for: checked, and with what its files say.

#ifndef SMP_TOOLS_SMP_COMPILE_OPTIONS_H
#define SMP_TOOLS_SMP_COMPILE_OPTIONS_H

#include "smp/capture/CaptureChoice.h"
#include "smp/compile/Compile.h"

namespace smp {

/// Whether targets and levels are there. Levels are those of any of the
/// targets.
Status checkTargets(mlir::MLIRContext *context);

/// All but the targets' names is checked, and what hooks may watch is not yet
/// said.
StatusOr<compile::CompileOptions> readOptions();

/// What hooks may watch, which `choice` decides as long as it lives.
/// `failure` hears of what it could not decide.
Status readCapture(std::optional<CaptureChoice> &choice,
                   compile::CompileOptions &options, Status &failure);

} // namespace smp

#endif // SMP_TOOLS_SMP_COMPILE_OPTIONS_H
