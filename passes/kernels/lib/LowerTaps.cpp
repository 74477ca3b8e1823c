// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/ir/Rows.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Target.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_LOWERTAPSPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {

/// The elements in the order in which they lie.
Value asItLies(Value value) {
  while (isa_and_nonnull<TransposeOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whoever says where a value is: what makes it, or the first that takes it.
Operation *ownerOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op;
  for (Operation *user : value.getUsers())
    if (getPlacement(user))
      return user;
  return nullptr;
}

/// Whether readers may have the op's elements where its operand has them, so
/// that it is in memory only if somebody insists.
bool isSeenThrough(Operation *op) {
  return op && !isSource(op) &&
         (isVirtual(op) || isView(op) || roleOf(op) == OpRole::Movement);
}

class Lowering {
public:
  explicit Lowering(EntryOp entry)
      : entry(entry), end(entry.getBody().front().getTerminator()) {}

  void run() {
    for (TapOp tap : llvm::to_vector(entry.getBody().getOps<TapOp>())) {
      const bool isWhole = tap.getKind() == TapKind::Whole;
      const Value seen = isWhole ? tap.getValue() : asItLies(tap.getValue());
      if (isWhole || tensorOf(seen).getNumElements() > 0)
        show(tap, seen);
      tap.erase();
    }
  }

private:
  void show(TapOp tap, Value seen) {
    Operation *owner = ownerOf(seen);
    Value &shown = shownOf[{seen, tap.getKind()}];
    if (!shown) // A value may have several names.
      shown = makeShown(tap, seen, owner);
    addResult(tap, shown,
              owner && getPhase(owner) == Unit::Update ? JoinKind::Each
                                                       : JoinKind::Concat);
  }

  Value makeShown(TapOp tap, Value seen, Operation *owner) {
    Watching watching(owner);
    OpBuilder b(tap);
    b.setListener(&watching);
    const Location loc = partOf(tap.getLoc());
    seen = ownViews(seen, b);
    // What reads a variable comes before what writes it.
    b.setInsertionPointAfterValue(seen);
    Value shown =
        tap.getKind() == TapKind::Whole ? seen : statisticsOf(b, loc, seen);
    SmallVector<int64_t> shape(shapeOf(shown));
    shape.insert(shape.begin(), 1);
    return ReshapeOp::create(b, loc, tensorOf(shown).clone(shape), shown);
  }

  /// The value by views of its own: others' are as if nobody watched.
  Value ownViews(Value value, OpBuilder &b) {
    auto needsCopy = [&](Value used) {
      return isSeenThrough(used.getDefiningOp()) &&
             !views.contains(used.getDefiningOp());
    };
    if (needsCopy(value))
      visitProducersFirst(value.getDefiningOp(), needsCopy,
                          [&](Operation *op) { copyView(op, b); });
    Operation *copy = views.lookup(value.getDefiningOp());
    return copy ? copy->getResult(0) : value;
  }

  /// What shows its operands has its copy, if it needs one.
  void copyView(Operation *op, OpBuilder &b) {
    if (views.contains(op))
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(op);
    Operation *copy = b.clone(*op);
    copy->setLoc(partOf(op->getLoc()));
    for (OpOperand &operand : copy->getOpOperands())
      if (Operation *view = views.lookup(operand.get().getDefiningOp()))
        operand.set(view->getResult(0));
    views[op] = copy;
  }

  static Value statisticsOf(OpBuilder &b, Location loc, Value value) {
    if (auto integer = dyn_cast<IntegerType>(elementOf(value))) {
      // f32 has all integers of 16 bits.
      const Type exact =
          integer.getWidth() <= 16 ? Type(b.getF32Type()) : b.getF64Type();
      value = ConvertOp::create(b, loc, tensorOf(value).clone(exact), value);
    }
    auto op = StatisticsOp::create(b, loc, value);
    if (targetOf(op).keepsWhole(op))
      return op.getResult();
    const Value made = op.decompose(b).front();
    op.erase();
    return made;
  }

  void addResult(TapOp tap, Value shown, JoinKind join) {
    Builder b(entry.getContext());
    const bool isWhole = tap.getKind() == TapKind::Whole;
    NamedAttrList attributes;
    attributes.set(
        kNameAttr,
        b.getStringAttr((isWhole ? "value/" : "statistics/") + tap.getName()));
    attributes.set(kTapAttr, tap.getKindAttr());
    attributes.set(kTapRoleAttr, tap.getTapRoleAttr());
    attributes.set(kTapTypeAttr, TypeAttr::get(tap.getValue().getType()));
    const unsigned number = entry.getNumResults();
    [[maybe_unused]] LogicalResult added = entry.insertResult(
        number, shown.getType(), attributes.getDictionary(b.getContext()));
    assert(succeeded(added) && "an entry takes results");
    end->insertOperands(end->getNumOperands(), shown);
    setJoin(entry, number, {join, 0, {}});
  }

  EntryOp entry;
  Operation *end;
  llvm::DenseMap<Operation *, Operation *> views; ///< Copies of views.
  llvm::DenseMap<std::pair<Value, TapKind>, Value> shownOf;
};

struct LowerTaps : impl::LowerTapsPassBase<LowerTaps> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<EntryOp>())
      Lowering(entry).run();
  }
};

} // namespace
} // namespace smp::passes
