// SPDX-License-Identifier: Apache-2.0
// What the runtime refuses of options, with what to write in their place.

#ifndef SMP_TOOLS_SMPRUN_RUNADVICE_H
#define SMP_TOOLS_SMPRUN_RUNADVICE_H

#include "RunOptions.h"
#include "smp/exec/SessionTypes.h"
#include "smp/model/Graph.h"

namespace smp {

/// Refuses a --deadline that is no time to wait.
Status checkDeadline(const RunOptions &options);

/// Refuses what is written over what is read, the weights beside the program
/// among them, and over each other.
Status checkFiles(const RunOptions &options);

/// Refuses --devices that are fewer or more than the program's partitions.
Status checkDevices(const RunOptions &options);

/// Refuses what --input reads from `path` if it has another element type.
Status checkElements(const std::string &path, const HostTensor &tensor,
                     const TensorSignature &signature);

/// What kept a Session from being opened, with --level if it may be the reason.
Status adviseOnLevel(const RunOptions &options, const Status &status);

/// What kept a step from being made, with the ways to give inputs if there are
/// not all of them.
Status adviseOnInputs(const RunOptions &options, const EntrySignature &entry,
                      const Status &status);

} // namespace smp

#endif // SMP_TOOLS_SMPRUN_RUNADVICE_H
