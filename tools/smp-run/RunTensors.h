// SPDX-License-Identifier: Apache-2.0
// Inputs from files or made up, outputs to files.

#ifndef SMP_TOOLS_SMPRUN_RUNTENSORS_H
#define SMP_TOOLS_SMPRUN_RUNTENSORS_H

#include "RunOptions.h"
#include "smp/runtime/Session.h"
#include "smp/tools/ReferenceProgram.h"

namespace smp {

/// Reads the files and makes up what has none, when asked to.
StatusOr<NamedTensors> loadInputs(const RunOptions &options,
                                  const EntrySignature &entry);

/// Checks that the entry has these outputs, before anything runs.
Status checkOutputs(const RunOptions &options, const EntrySignature &entry);

/// Writes the outputs that files are given for, or prints a summary of all when
/// there are none and no stats either.
Status writeOutputs(const RunOptions &options,
                    std::span<const OutputTensor> outputs);

} // namespace smp

#endif // SMP_TOOLS_SMPRUN_RUNTENSORS_H
