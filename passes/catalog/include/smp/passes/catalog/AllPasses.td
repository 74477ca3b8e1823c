// SPDX-License-Identifier: Apache-2.0
// The passes of all rooms: docs/generated/SmpPasses.md is made of it.

#ifndef SMP_PASSES_CATALOG_ALLPASSES_TD
#define SMP_PASSES_CATALOG_ALLPASSES_TD

include "smp/passes/Passes.td"
include "smp/passes/kernels/Passes.td"
include "smp/passes/pipeline/Passes.td"
include "smp/passes/placement/Passes.td"
include "smp/passes/training/Passes.td"

#endif // SMP_PASSES_CATALOG_ALLPASSES_TD
