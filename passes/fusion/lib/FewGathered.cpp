// SPDX-License-Identifier: Apache-2.0
#include "FewGathered.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace smp::passes {

using ir::shapeOf;

/// Few is at most one of so many.
static constexpr int64_t kFew = 4;

static bool takesFew(ir::GatherElementsOp gather) {
  return ir::tensorOf(gather.getResult()).getNumElements() * kFew <=
         ir::tensorOf(gather.getInput()).getNumElements();
}

/// Whether nobody but kernels that can compute them reads the op's elements.
static bool isComputedWhereRead(Operation *op, ir::GatherElementsOp gather) {
  return llvm::all_of(ir::readersOf(op), [&](Operation *user) {
    return user == gather || ((user->hasTrait<ir::trait::Elementwise>() ||
                               isa<ir::ReduceOp, ir::GatherElementsOp>(user)) &&
                              ir::getPhase(user) == ir::getPhase(gather));
  });
}

/// Whether every gathered element along the axis is the same of the operand,
/// which is a smaller tensor that is repeated.
static bool isRepeatedAlong(ir::BroadcastOp operand,
                            ir::GatherElementsOp gather) {
  for (auto [dim, to] : llvm::enumerate(operand.getDimensions())) {
    const int64_t size = shapeOf(operand.getInput())[dim];
    if (size != 1 && (to == int64_t(gather.getAxis()) ||
                      size != shapeOf(gather.getResult())[size_t(to)]))
      return false;
  }
  return true;
}

/// Null when there is more than one value.
static SplatElementsAttr splatOf(Value value) {
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  return constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
}

/// Whether it takes indices to know what the gather would give of an operand.
static bool isIndexed(Value operand, ir::GatherElementsOp gather) {
  auto broadcast = operand.getDefiningOp<ir::BroadcastOp>();
  return !splatOf(operand) &&
         !(broadcast && isRepeatedAlong(broadcast, gather));
}

/// The op that is done on gathered elements instead; null when there is none.
/// Some operand has to be indexed: an index outside is still to be found.
static Operation *elementwiseBefore(ir::GatherElementsOp gather) {
  Operation *op = gather.getInput().getDefiningOp();
  if (!op || !takesFew(gather) || !op->hasTrait<ir::trait::Elementwise>() ||
      isa<ir::DecomposeOpInterface>(op) || op->getNumResults() != 1 ||
      ir::getPlacement(op) != ir::getPlacement(gather) ||
      ir::getPhase(op) != ir::getPhase(gather) ||
      !isComputedWhereRead(op, gather))
    return nullptr;
  bool areAlike = true, isAnyIndexed = false;
  for (Value operand : op->getOperands()) {
    areAlike &= shapeOf(operand) == shapeOf(gather.getInput());
    isAnyIndexed |= isIndexed(operand, gather);
  }
  return areAlike && isAnyIndexed ? op : nullptr;
}

/// What the gather would give of the operand, made before it.
static Operation *take(Value operand, ir::GatherElementsOp gather,
                       Location loc) {
  OpBuilder b(gather);
  if (isIndexed(operand, gather))
    return ir::GatherElementsOp::create(b, gather.getLoc(), operand,
                                        gather.getIndices(), gather.getAxis());
  auto type = RankedTensorType::get(shapeOf(gather.getResult()),
                                    ir::elementOf(operand));
  if (SplatElementsAttr splat = splatOf(operand))
    return ir::ConstantOp::create(b, loc, splat.resizeSplat(type));
  auto broadcast = operand.getDefiningOp<ir::BroadcastOp>();
  return ir::BroadcastOp::create(b, loc, type, broadcast.getInput(),
                                 broadcast.getDimensions());
}

/// Does `op` on what is gathered of its operands; the gathers that it takes.
static SmallVector<ir::GatherElementsOp>
moveBefore(Operation *op, ir::GatherElementsOp gather) {
  const Location loc = ir::partOf(op->getLoc());
  SmallVector<ir::GatherElementsOp> gathers;
  IRMapping taken;
  for (Value operand :
       llvm::SetVector<Value>(llvm::from_range, op->getOperands())) {
    Operation *part = take(operand, gather, loc);
    part->setDiscardableAttrs(gather->getDiscardableAttrDictionary());
    taken.map(operand, part->getResult(0));
    if (auto next = dyn_cast<ir::GatherElementsOp>(part))
      gathers.push_back(next);
  }
  OpBuilder b(gather);
  Operation *few = b.clone(*op, taken);
  few->setLoc(loc);
  few->getResult(0).setType(gather.getType());
  gather.replaceAllUsesWith(few->getResult(0));
  gather.erase();
  return gathers;
}

/// Erases what nobody needs any more, and what only that needed.
static void eraseUnused(Operation *op) {
  if (!op || !isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : operands)
    eraseUnused(operand.getDefiningOp());
}

void gatherFewBefore(Block &block) {
  // Of what is differentiated all elements may be needed again.
  if (llvm::any_of(block, [](Operation &op) {
        return ir::getUnit(&op) != ir::Unit::Forward;
      }))
    return;
  auto gathers = llvm::to_vector(block.getOps<ir::GatherElementsOp>());
  while (!gathers.empty()) {
    ir::GatherElementsOp gather = gathers.pop_back_val();
    Operation *op = elementwiseBefore(gather);
    if (!op)
      continue;
    llvm::append_range(gathers, moveBefore(op, gather));
    eraseUnused(op);
  }
}

} // namespace smp::passes
