// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/cpu/CpuTarget.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Smp.h"

namespace smp::compile {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<ir::SmpDialect>();
  codegen::addTarget<codegen::cpu::CpuTarget>(registry);
}

} // namespace smp::compile
