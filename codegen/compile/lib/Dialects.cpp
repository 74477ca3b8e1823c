// SPDX-License-Identifier: Apache-2.0
#include "RegisterTargets.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Smp.h"

namespace smp::compile {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<ir::SmpDialect>();
  registerTargets(registry);
}

} // namespace smp::compile
