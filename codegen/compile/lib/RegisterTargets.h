// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_COMPILE_LIB_REGISTERTARGETS_H
#define SMP_COMPILE_LIB_REGISTERTARGETS_H

#include "mlir/IR/DialectRegistry.h"

namespace smp::compile {

/// Makes every target of this build known, with the dialects of its kernels.
void registerTargets(mlir::DialectRegistry &registry);

} // namespace smp::compile

#endif // SMP_COMPILE_LIB_REGISTERTARGETS_H
