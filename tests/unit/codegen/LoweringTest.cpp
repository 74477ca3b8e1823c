// SPDX-License-Identifier: Apache-2.0
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "smp/codegen/cpu/Image.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace {

/// Passes on kernels trust what they are given: what is wrong is found before.
TEST(Lowering, AFunctionThatIsWrongIsAnError) {
  MLIRContext context;
  smp::codegen::cpu::loadLoweringDialects(&context);
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  OpBuilder b(&context);
  const Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      b, loc, "k", b.getFunctionType(b.getI64Type(), b.getI32Type()));
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, loc, function.getArgument(0));
  EXPECT_TRUE(failed(smp::codegen::cpu::lowerKernels(*module)));
  EXPECT_NE(message.find("doesn't match function result type"),
            std::string::npos)
      << message;
}

} // namespace
