// SPDX-License-Identifier: Apache-2.0
// What is left of a pass that failed on our own IR.

#ifndef SMP_COMPILE_LIB_REPRODUCER_H
#define SMP_COMPILE_LIB_REPRODUCER_H

#include "mlir/Pass/PassManager.h"

namespace smp::compile {

/// When one of the passes fails, its input and how to run it are in the file
/// `path`, complete. An error is emitted when that cannot be written.
void leaveReproducer(mlir::PassManager &passes, const std::string &path);

} // namespace smp::compile

#endif // SMP_COMPILE_LIB_REPRODUCER_H
