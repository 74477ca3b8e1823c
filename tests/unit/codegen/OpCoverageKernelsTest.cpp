// SPDX-License-Identifier: Apache-2.0
// A new op is tested, or this says that it is not.

#include "KernelSuite.h"
#include "mlir/IR/Verifier.h"
#include "smp/model/Reference.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

/// What a graph of these operands and nothing else would be; null when the op
/// wants other operands, or attributes.
static Operation *tryToMake(OpBuilder &b, RegisteredOperationName name,
                            ArrayRef<Value> operands) {
  OperationState state(b.getUnknownLoc(), name);
  state.addOperands(operands);
  if (auto *inference = name.getInterface<InferTypeOpInterface>()) {
    SmallVector<Type> types;
    if (failed(inference->inferReturnTypes(
            b.getContext(), b.getUnknownLoc(), operands,
            state.attributes.getDictionary(b.getContext()),
            state.getRawProperties(), state.regions, types)))
      return nullptr;
    state.addTypes(types);
  } else {
    state.addTypes(operands.front().getType());
  }
  Operation *op = b.create(state);
  if (succeeded(verify(op)))
    return op;
  op->erase();
  return nullptr;
}

/// The elementwise ops that take `arity` operands of type `type`.
static std::vector<RegisteredOperationName>
elementwiseOps(MLIRContext *context, DType type, size_t arity) {
  std::vector<RegisteredOperationName> result;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  Ops ops(*module, "probe");
  ops.b.setInsertionPointToEnd(module->getBody());
  std::vector<Value> operands(arity, ops.splat(ops.type(type, {3, 21}), 1));
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasTrait<ir::trait::Elementwise>() &&
        !llvm::is_contained({"smp.compare", "smp.convert"},
                            name.getStringRef()))
      if (Operation *op = tryToMake(ops.b, name, operands)) {
        result.push_back(name);
        op->erase();
      }
  return result;
}

/// Every elementwise op that can be made from operands alone, without naming
/// any.
TEST(OpCoverage, ElementwiseOpsMakeTheirOwnCases) {
  KernelSuite suite;
  CompilerContext context;
  std::set<std::string> seen; // Other types have their tests by name.
  for (DType type : {DType::F32, DType::I32, DType::Bool})
    for (size_t arity = 1; arity <= 3; ++arity) {
      std::vector<Operand> operands(arity, {{type, {3, 21}}, Fill::Positive});
      for (RegisteredOperationName name :
           elementwiseOps(&context.mlir, type, arity)) {
        std::string mnemonic = name.getStringRef().str();
        if (!seen.insert(mnemonic).second)
          continue;
        suite.add(
            mnemonic, operands,
            {isFloat(type) ? 8.0 : 0, isFloat(type) ? 1e-6 : 0},
            [mnemonic](Ops &o, ArrayRef<Value> v) {
              auto op =
                  *RegisteredOperationName::lookup(mnemonic, o.b.getContext());
              return SmallVector<Value>{tryToMake(o.b, op, v)->getResult(0)};
            });
      }
    }
  EXPECT_GT(seen.size(), 45u);
  suite.run();
}

namespace {
/// After all tests: which ops were in no graph?
class EveryOpWasTested : public testing::Environment {
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*")
      return;
    // Values of entries; products as passes pack them, and transfers between
    // partitions, which tested graphs become.
    const std::set<std::string_view> others = {
        "assign",        "depthwise_conv", "pack",   "packed_conv",
        "packed_matmul", "read",           "return", "transfer"};
    for (std::string_view mnemonic : referenceMnemonics())
      if (!others.contains(mnemonic))
        EXPECT_TRUE(KernelSuite::testedOps().contains(std::string(mnemonic)))
            << "smp." << mnemonic << " is in no kernel test";
  }
};
const auto *const kEnvironment =
    testing::AddGlobalTestEnvironment(new EveryOpWasTested);
} // namespace
