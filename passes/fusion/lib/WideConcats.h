// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_PASSES_FUSION_LIB_WIDECONCATS_H
#define SMP_PASSES_FUSION_LIB_WIDECONCATS_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// Operands of a concat that becomes one kernel, which has a loop for each.
inline constexpr size_t kMostConcatOperands = 64;

/// Concats of more operands than that become trees of such as have no more.
void splitWideConcats(mlir::Block &block);

} // namespace smp::passes

#endif // SMP_PASSES_FUSION_LIB_WIDECONCATS_H
