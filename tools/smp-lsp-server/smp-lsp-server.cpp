// SPDX-License-Identifier: Apache-2.0
// smp-lsp-server: tells editors about .mlir files that hold the smp dialect.

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "smp/compile/Compile.h"
#include "smp/tools/CommandLine.h"

int main(int argc, char **argv) {
  smp::startTool("smp-lsp-server");
  mlir::DialectRegistry registry;
  smp::compile::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
