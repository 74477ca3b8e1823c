// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/pipeline/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_INSERTTRANSFERSPASS
#include "smp/passes/pipeline/Passes.h.inc"

namespace {

/// Brings the values of one entry to where they are used.
class Distributor {
public:
  Distributor(EntryOp entry, const VariableUsers &users)
      : body(entry.getBody().front()), users(users) {}

  void run() {
    remakeViews();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops)
      if (mustStay(op) && getPlacement(op).isAll())
        setPlacement(op, /*partition=*/0, Origin::Propagated);
    for (Operation *op : ops)
      if (mustStay(op) && !isa<TransferOp>(op))
        for (OpOperand &operand : op->getOpOperands())
          operand.set(bring(operand.get(), getPlacement(op).getPartition()));
    for (OpOperand &operand : body.getTerminator()->getOpOperands())
      operand.set(sourceAgain(bring(operand.get(), homeOf(operand.get()))));
    for (Operation *op : llvm::reverse(ops))
      if ((!mustStay(op) || isa<TransferOp>(op)) && op->use_empty())
        op->erase();
  }

private:
  /// Another phase reshapes for itself: the tensor need not be stored twice.
  void remakeViews() {
    for (auto view : llvm::make_early_inc_range(body.getOps<ReshapeOp>())) {
      llvm::SmallDenseMap<Unit, Operation *> copies;
      for (OpOperand &use : llvm::make_early_inc_range(view->getUses())) {
        Operation *user = use.getOwner();
        Unit phase = getPhase(user);
        if (isa<ReturnOp>(user) || phase == getPhase(view))
          continue;
        Operation *&copy = copies[phase];
        if (!copy) {
          OpBuilder builder(view);
          builder.setInsertionPointAfter(view);
          copy = builder.clone(*view);
          copy->setLoc(partOf(view.getLoc()));
          copy->setAttr(kUnitAttr, ir::UnitAttr::get(view.getContext(), phase));
        }
        use.set(copy->getResult(0));
      }
    }
  }

  /// Whether the op runs on one partition and others get its results; else it
  /// is copied. An op on all partitions that uses a variable which changes is
  /// run once: its copies would have to change alike.
  bool mustStay(Operation *op) const {
    if (!getPlacement(op).isAll())
      return !isCopied(op);
    return isa<AssignOp>(op) ||
           llvm::any_of(users.variables(op), [&](StringAttr variable) {
             return users.isAssigned(variable);
           });
  }

  /// The value on `partition`: itself, a copy of what makes it, or a transfer.
  Value bring(Value value, int64_t partition) {
    // From where it was made, if it was transferred elsewhere before.
    for (auto before = value.getDefiningOp<TransferOp>();
         before && getPlacement(before).getPartition() != partition;
         before = value.getDefiningOp<TransferOp>())
      value = before.getInput();
    Operation *producer = value.getDefiningOp();
    if (!producer)
      return value;
    auto needs = [&](Value used) {
      return needsCopy(used.getDefiningOp(), partition);
    };
    if (needs(value))
      visitProducersFirst(producer, needs,
                          [&](Operation *op) { copy(op, partition); });
    return find(value, partition);
  }

  /// A variable that changes is in one place: others are sent its value.
  bool isSent(Operation *op) const {
    auto read = dyn_cast<ReadOp>(op);
    return mustStay(op) ||
           (read && users.isAssigned(read.getVariableAttr().getAttr()));
  }

  bool isThere(Operation *op, int64_t partition) const {
    return getPlacement(op).getPartition() == partition &&
           (mustStay(op) || isSource(op));
  }

  bool needsCopy(Operation *op, int64_t partition) const {
    return op->getNumResults() > 0 && !isThere(op, partition) && !isSent(op) &&
           !brought.contains({op->getResult(0), partition});
  }

  /// The value on `partition`, where all copies have been made.
  Value find(Value value, int64_t partition) {
    Operation *producer = value.getDefiningOp();
    if (!producer || isThere(producer, partition))
      return value;
    Value &found = brought[{value, partition}];
    if (!found)
      found = transfer(isa<ReadOp>(producer) ? sourceAgain(value) : value,
                       partition);
    return found;
  }

  /// What leaves the entry or the partition comes from a source of its own, so
  /// that stages where the source is still have theirs.
  static Value sourceAgain(Value value) {
    Operation *source = value.getDefiningOp();
    if (!source || !isa<ReadOp, PreparedOp>(source) || value.hasOneUse())
      return value;
    OpBuilder builder(source);
    Operation *again = builder.clone(*source);
    again->setLoc(partOf(source->getLoc()));
    return again->getResult(0);
  }

  Value transfer(Value value, int64_t partition) {
    OpBuilder builder(body.getParentOp()->getContext());
    builder.setInsertionPointAfterValue(value);
    auto op = TransferOp::create(builder, partOf(value.getLoc()), value,
                                 uint64_t(partition));
    setPlacement(op, partition, Origin::Propagated);
    return op.getResult();
  }

  void copy(Operation *original, int64_t partition) {
    SmallVector<Value> operands;
    for (Value operand : original->getOperands())
      operands.push_back(find(operand, partition));
    OpBuilder builder(original->getContext());
    builder.setInsertionPointAfter(original);
    Operation *made = builder.clone(*original);
    made->setOperands(operands);
    setPlacement(made, partition, Origin::Propagated);
    for (auto [from, to] :
         llvm::zip(original->getResults(), made->getResults()))
      brought[{from, partition}] = to;
  }

  /// Where the caller takes a result from: where it is, or where the first
  /// thing it is computed from is.
  int64_t homeOf(Value value) const {
    Operation *producer = value.getDefiningOp();
    while (producer && getPlacement(producer).isAll()) {
      auto from = llvm::find_if(producer->getOperands(), [](Value operand) {
        Operation *op = operand.getDefiningOp();
        return op && !isCopied(op);
      });
      producer =
          from == producer->operand_end() ? nullptr : (*from).getDefiningOp();
    }
    return producer ? getPlacement(producer).getPartition() : 0;
  }

  Block &body;
  const VariableUsers &users;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> brought;
};

struct InsertTransfers : impl::InsertTransfersPassBase<InsertTransfers> {
  void runOnOperation() override {
    VariableUsers users(getOperation());
    if (failed(verifyPlaced(getOperation())))
      return signalPassFailure();
    for (auto entry : getOperation().getOps<EntryOp>())
      Distributor(entry, users).run();
  }
};

} // namespace
} // namespace smp::passes
