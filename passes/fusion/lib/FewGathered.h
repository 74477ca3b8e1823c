// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_PASSES_FUSION_LIB_FEWGATHERED_H
#define SMP_PASSES_FUSION_LIB_FEWGATHERED_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// Where few elements are gathered of what an elementwise op gives, the op is
/// done on gathered elements of its operands: nobody needs the others. A loss
/// takes one of a row's logarithms of probabilities, and reads the row once.
/// Entries that are trained stay as they are.
void gatherFewBefore(mlir::Block &block);

} // namespace smp::passes

#endif // SMP_PASSES_FUSION_LIB_FEWGATHERED_H
