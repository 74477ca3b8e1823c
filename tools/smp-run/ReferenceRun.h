// SPDX-License-Identifier: Apache-2.0
// Running an entry with the reference evaluator.

#ifndef SMP_TOOLS_SMPRUN_REFERENCERUN_H
#define SMP_TOOLS_SMPRUN_REFERENCERUN_H

#include "RunTensors.h"

namespace smp {

/// Evaluates the entry's graph for each microbatch of the inputs and joins the
/// results, in the order of the entry's outputs.
StatusOr<std::vector<HostTensor>> runReference(const std::string &program,
                                               const std::string &entry,
                                               const NamedTensors &inputs,
                                               uint32_t microbatches);

} // namespace smp

#endif // SMP_TOOLS_SMPRUN_REFERENCERUN_H
