// SPDX-License-Identifier: Apache-2.0
// Ops over constants, evaluated while importing.

#ifndef SMP_IMPORT_LIB_EVALUATION_H
#define SMP_IMPORT_LIB_EVALUATION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "smp/model/HostTensor.h"
#include <optional>

namespace smp::frontend {

/// The elements of the type as they are counted to decide whether evaluating is
/// worth it: sizes that are multiples of `factor`, above 0, are divided by it,
/// so that the decision is the same for any number of rows.
int64_t countElements(mlir::RankedTensorType type, int64_t factor);

/// The operands, when all are constants of a size that is worth it.
std::optional<std::vector<HostTensor>> constantOperands(mlir::Operation *op,
                                                        int64_t factor);

std::vector<TensorType> resultTypes(mlir::Operation *op);

/// The results of the op over these operands, by the reference evaluator;
/// nothing when it has none.
std::optional<std::vector<HostTensor>>
evaluate(mlir::Operation *op, const std::vector<HostTensor> &operands,
         const std::vector<TensorType> &types);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_EVALUATION_H
