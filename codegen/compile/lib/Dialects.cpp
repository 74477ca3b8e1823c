// SPDX-License-Identifier: Apache-2.0
#include "RegisterTargets.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Smp.h"

namespace smp::compile {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<ir::SmpDialect>();
  registerTargets(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

} // namespace smp::compile
