// SPDX-License-Identifier: Apache-2.0
// Models with a wrong structure that the importer takes: each becomes a
// program, or is refused with an error.
#include "CompileHere.h"
#include "ImportOnce.h"
#include "Mutants.h"
#include "Seed.h"
#include <gtest/gtest.h>

using namespace smp;

/// Whether no tensor that the module names, as an argument, a result or a
/// variable, has more than 2^16 elements, and no model many ops.
static bool isSmall(mlir::ModuleOp module) {
  int ops = 0;
  bool isSmall = true;
  auto note = [&](mlir::Type type) {
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
      isSmall &= tensor.getNumElements() <= 1 << 16;
  };
  module.walk([&](mlir::Operation *op) {
    ++ops;
    llvm::for_each(op->getResultTypes(), note);
    op->getAttrDictionary().walk(note);
  });
  return isSmall && ops <= 200;
}

TEST(Mutants, ArePrograms) {
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  Mutants mutants(chooseSeed());
  int programs = 0, refused = 0;
  while (programs + refused < 300) {
    ImportOnce import(mutants.next(), {}, registry);
    if (!import.ok() || !isSmall(*import.model.module))
      continue;
    std::string error;
    const bool isProgram =
        test::compileHere(*import.model.module, import.model.weights, {}, error)
            .has_value();
    EXPECT_NE(isProgram, error.size() > 0) << error;
    ++(isProgram ? programs : refused);
  }
  EXPECT_GT(programs, 150);
}
