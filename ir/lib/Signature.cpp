// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Signature.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "smp/ir/Collapse.h"
#include "smp/ir/Target.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace smp::ir {

GroupOp isolateGroup(ModuleOp module, GroupOp group) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto type =
      b.getFunctionType(group->getOperandTypes(), group->getResultTypes());
  auto function = StageOp::create(b, group.getLoc(), "kernel", type, nullptr,
                                  nullptr, /*partition=*/0, Unit::Forward);
  function->setAttr(kTargetsAttr, b.getArrayAttr(targetOf(group)));
  SmallVector<Location> locations(group->getNumOperands(), group.getLoc());
  Block *body = b.createBlock(&function.getBody(), {}, group->getOperandTypes(),
                              locations);
  IRMapping mapping;
  mapping.map(group->getOperands(), body->getArguments());
  auto copy = cast<GroupOp>(b.clone(*group, mapping));
  copy.getBody().walk([](Operation *op) {
    op->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  });
  collapseGroup(copy);
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(copy);
  eliminateCommonSubExpressions(rewriter, dominance, copy);
  return copy;
}

std::string signatureOf(GroupOp isolated) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << stringifyStrategy(isolated.getStrategy())
         << isolated->getOperandTypes() << isolated->getResultTypes();
  OpPrintingFlags flags;
  flags.useLocalScope().printGenericOpForm();
  AsmState state(isolated, flags);
  for (Operation &op : isolated.getBody().front()) {
    op.print(stream, state);
    stream << "\n";
  }
  return text;
}

uint64_t digestOf(StringRef signature) {
  const uint64_t digest = llvm::xxh3_64bits(signature);
  return digest ? digest : 1;
}

uint64_t digestOf(GroupOp group) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(group.getLoc());
  return digestOf(signatureOf(isolateGroup(*module, group)));
}

} // namespace smp::ir
