// SPDX-License-Identifier: Apache-2.0
// Names of discardable attributes that say what something costs.

#ifndef SMP_IR_COSTS_H
#define SMP_IR_COSTS_H

#include "llvm/ADT/StringRef.h"

namespace smp::ir {

/// On an op of a model that is to be placed: seconds of one run of it, as part
/// of the kernel that will compute it, f64. Set where kernels were measured;
/// whoever lowers the module removes it before.
inline constexpr llvm::StringLiteral kSecondsAttr = "smp.seconds";

/// On an entry: how much it counts where the costs of entries are added up,
/// f64, as how often it is run beside the others. Absent: EntryWeights.
inline constexpr llvm::StringLiteral kWeightAttr = "smp.weight";

} // namespace smp::ir

#endif // SMP_IR_COSTS_H
