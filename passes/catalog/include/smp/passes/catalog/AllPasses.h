// SPDX-License-Identifier: Apache-2.0
// The passes of all rooms.

#ifndef SMP_PASSES_CATALOG_ALLPASSES_H
#define SMP_PASSES_CATALOG_ALLPASSES_H

#include "smp/passes/Passes.h"
#include "smp/passes/kernels/Passes.h"
#include "smp/passes/pipeline/Passes.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/training/Passes.h"

namespace smp::passes {

/// Makes all passes and named pipelines known to smp-opt.
void registerAllPasses();

} // namespace smp::passes

#endif // SMP_PASSES_CATALOG_ALLPASSES_H
