// SPDX-License-Identifier: Apache-2.0
// Statistics of a value, as ops.

#ifndef SMP_PASSES_KERNELS_LIB_STATISTICS_H
#define SMP_PASSES_KERNELS_LIB_STATISTICS_H

#include "mlir/IR/Builders.h"

namespace smp::passes {

/// The record of smp/model/TensorStatistics.h, a tensor<11xf64>, of the
/// elements of `value`, of which there is one at least.
mlir::Value buildStatistics(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value value);

} // namespace smp::passes

#endif // SMP_PASSES_KERNELS_LIB_STATISTICS_H
