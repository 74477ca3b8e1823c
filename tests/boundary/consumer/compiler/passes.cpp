// SPDX-License-Identifier: Apache-2.0
// The same application, one level further down: the dialect and its passes.

#include "smp/passes/placement/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/compile/Compile.h"
#include "smp/import/OnnxImport.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Target.h"

bool runPasses() {
  mlir::DialectRegistry registry;
  smp::compile::registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"})
             -> (tensor<4xf32> {smp.name = "y"}) {
           %y = smp.add %x, %x : tensor<4xf32>
           smp.return %y : tensor<4xf32>
         })",
      &context);
  if (!module)
    return false;
  mlir::PassManager passes(&context);
  const smp::passes::RooflineModel model(
      smp::ir::TargetAttr::get(&context, "generic"));
  smp::passes::buildPlacementPipeline(passes, {}, model);
  if (failed(passes.run(*module)))
    return false;
  auto entry = *module->getOps<smp::ir::EntryOp>().begin();
  return bool(smp::ir::getPlacement(&entry.getBody().front().front()));
}
