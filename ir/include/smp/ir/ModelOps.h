// SPDX-License-Identifier: Apache-2.0
// The ops of a model in a copy of it that is lowered.

#ifndef SMP_IR_MODELOPS_H
#define SMP_IR_MODELOPS_H

#include "llvm/ADT/StringRef.h"

namespace smp::ir {

/// On an op of a copy that is lowered to see what becomes of a model: the
/// number of the model's op that it stands for or is a part of, i64. Inherited
/// with the derivation.
inline constexpr llvm::StringLiteral kModelOpAttr = "smp.model_op";

} // namespace smp::ir

#endif // SMP_IR_MODELOPS_H
