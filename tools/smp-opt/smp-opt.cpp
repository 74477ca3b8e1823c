// SPDX-License-Identifier: Apache-2.0
// smp-opt: runs passes over .mlir text, one at a time or as named pipelines.

#include "smp/ir/Smp.h"
#include "smp/passes/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<smp::ir::SmpDialect>();
  mlir::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  smp::passes::registerSmpPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "smp's pass driver\n", registry));
}
