// SPDX-License-Identifier: Apache-2.0
// The IR inside a Model.

#ifndef SMP_IMPORT_MODELPARTS_H
#define SMP_IMPORT_MODELPARTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "smp/import/Model.h"
#include "smp/ir/WeightStore.h"

namespace smp {

struct ModelParts {
  std::unique_ptr<mlir::MLIRContext> context; ///< Without threads.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ir::WeightStore weights; ///< Of the variables with a `#smp.stored` value.
};

} // namespace smp

#endif // SMP_IMPORT_MODELPARTS_H
