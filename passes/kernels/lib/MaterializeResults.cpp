// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/fusion/MakeGroup.h"
#include "smp/passes/kernels/Passes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using smp::ir::aliased;

namespace smp::passes {
#define GEN_PASS_DEF_MATERIALIZERESULTSPASS
#include "smp/passes/kernels/Passes.h.inc"

static Value copyOf(OpBuilder &b, Value value, Type type) {
  return makeCopy(b, value, type).getResult(0);
}
static Value copyOf(OpBuilder &b, Value value) {
  return copyOf(b, value, value.getType());
}

static bool readsInPlace(ir::GroupOp group, unsigned operand) {
  Block &body = group.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  auto type = cast<RankedTensorType>(group->getResult(0).getType());
  return readsInPlace(group.getStrategy(), ops, type.getShape(),
                      body.getArgument(operand));
}

/// Whether `writer` may write the variable where it lies.
static bool mayWrite(ir::GroupOp writer, StringRef variable) {
  for (auto read : writer->getBlock()->getOps<ir::ReadOp>()) {
    if (read.getVariable() != variable)
      continue;
    SmallVector<Value> names{read.getValue()};
    while (!names.empty())
      for (OpOperand &use : names.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (isa<ir::ReshapeOp>(user))
          names.push_back(user->getResult(0));
        else if (user == writer ? !readsInPlace(writer, use.getOperandNumber())
                                : writer->isBeforeInBlock(user))
          return false;
      }
  }
  return true;
}

/// Says which operands of the group that writes the assigned value are the
/// variable's old value, in the same memory.
static void markInPlace(ir::AssignOp assign) {
  auto value = cast<OpResult>(aliased(assign.getValue()));
  Operation *writer = value.getOwner();
  SmallVector<int64_t> pairs;
  if (auto marked = writer->getAttrOfType<DenseI64ArrayAttr>(ir::kInPlaceAttr))
    pairs = llvm::to_vector(marked.asArrayRef());
  for (OpOperand &operand : writer->getOpOperands())
    if (auto read = aliased(operand.get()).getDefiningOp<ir::ReadOp>();
        read && read.getVariable() == assign.getVariable())
      pairs.append({operand.getOperandNumber(), value.getResultNumber()});
  if (!pairs.empty())
    writer->setAttr(ir::kInPlaceAttr,
                    Builder(writer).getDenseI64ArrayAttr(pairs));
}

static bool isAssigned(ArrayRef<ir::AssignOp> assigns, ir::ReadOp read) {
  return llvm::any_of(assigns, [&](ir::AssignOp assign) {
    return assign.getVariable() == read.getVariable();
  });
}

static void materializeResults(ir::StageOp stage) {
  Block &body = stage.getBody().front();
  auto end = cast<ir::ReturnOp>(body.getTerminator());
  llvm::DenseSet<Value> written;
  auto needsCopy = [&](Value value) {
    Value root = aliased(value);
    return !root.getDefiningOp<ir::GroupOp>() || written.contains(root);
  };
  OpBuilder b(end);
  auto assigns = llvm::to_vector(body.getOps<ir::AssignOp>());
  // A result that is a variable's old value is saved before it is written.
  for (OpOperand &operand : end->getOpOperands())
    if (auto read = aliased(operand.get()).getDefiningOp<ir::ReadOp>();
        read && isAssigned(assigns, read)) {
      b.setInsertionPointAfter(read);
      operand.set(copyOf(b, read.getValue(), operand.get().getType()));
    }
  // So is what is another variable's old value.
  for (ir::AssignOp assign : assigns)
    if (!aliased(assign.getValue()).getDefiningOp<ir::GroupOp>()) {
      b.setInsertionPointToStart(&body);
      if (Operation *maker = assign.getValue().getDefiningOp())
        b.setInsertionPointAfter(maker);
      assign.getValueMutable().set(copyOf(b, assign.getValue()));
    }
  for (ir::AssignOp assign : assigns) {
    Value value = assign.getValue();
    auto writer = aliased(value).getDefiningOp<ir::GroupOp>();
    if (needsCopy(value) || !mayWrite(writer, assign.getVariable())) {
      // When everybody has read the old value.
      b.setInsertionPoint(end);
      value = copyOf(b, value);
      assign.getValueMutable().set(value);
      assign->moveBefore(end);
    }
    written.insert(aliased(value));
  }
  for (auto group : body.getOps<ir::GroupOp>())
    group->removeAttr(ir::kInPlaceAttr);
  for (ir::AssignOp assign : assigns)
    markInPlace(assign);
  b.setInsertionPoint(end);
  for (OpOperand &operand : end->getOpOperands()) {
    if (needsCopy(operand.get()))
      operand.set(copyOf(b, operand.get()));
    written.insert(aliased(operand.get()));
  }
}

namespace {
struct MaterializeResults
    : impl::MaterializeResultsPassBase<MaterializeResults> {
  void runOnOperation() override {
    for (auto stage : getOperation().getOps<ir::StageOp>())
      materializeResults(stage);
  }
};
} // namespace
} // namespace smp::passes
