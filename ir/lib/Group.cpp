// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Role.h"
#include "smp/ir/Strategy.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace smp::ir {

/// Empty for what is no tensor: members are verified after their group.
static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// Whether `dims` are the last ones of `rank`.
static bool areTrailing(ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  for (auto [i, dim] : llvm::enumerate(sorted))
    if (dim != rank - int64_t(sorted.size()) + int64_t(i))
      return false;
  return !sorted.empty();
}

Strategy strategyOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Strategy>(op)
      .Case<PackedMatmulOp, PackedConvOp>(
          [](auto) { return Strategy::Product; })
      .Case<DepthwiseConvOp>([](auto) { return Strategy::Depthwise; })
      .Case<PackOp>([](auto) { return Strategy::Pack; })
      .Case<ConcatOp>([](auto) { return Strategy::Concat; })
      .Case<PadOp>([](PadOp pad) {
        // Other pads choose each element by its position.
        auto isAtLeast0 = [](int64_t n) { return n >= 0; };
        bool plain =
            pad.getMode() == PadMode::Constant &&
            llvm::all_of(pad.getLow(), isAtLeast0) &&
            llvm::all_of(pad.getHigh(), isAtLeast0) &&
            llvm::all_of(pad.getInterior(), [](int64_t n) { return n == 0; });
        return plain ? Strategy::Pad : Strategy::Loop;
      })
      .Case<ScanOp>([](auto) { return Strategy::Scan; })
      .Case<TopKOp>([](auto) { return Strategy::Sort; })
      .Case<ScatterElementsOp, ScatterNdOp>(
          [](auto) { return Strategy::Scatter; })
      .Case<ReduceOp>([](ReduceOp reduce) {
        bool rows = areTrailing(reduce.getDimensions(),
                                shapeOf(reduce.getInput()).size());
        return rows ? Strategy::Row : Strategy::Loop;
      })
      .Default([](Operation *) { return Strategy::Loop; });
}

bool isComputable(Operation *op) {
  return isa<RoleOpInterface>(op) && !isa<DecomposeOpInterface, GroupOp>(op) &&
         (roleOf(op) == OpRole::Compute || roleOf(op) == OpRole::Movement ||
          isView(op) || isVirtual(op));
}

bool takesMemory(Operation *op) { return isa<ConcatOp>(op); }

//===----------------------------------------------------------------------===//
// What fits a strategy
//===----------------------------------------------------------------------===//

/// Whether a kernel of that strategy is built around a single op.
static bool hasOneHeart(Strategy strategy) {
  return strategy != Strategy::Loop && strategy != Strategy::Row;
}

/// Whether the op that a kernel is built around gives all its results.
static bool standsAlone(Strategy strategy) {
  return hasOneHeart(strategy) && strategy != Strategy::Product &&
         strategy != Strategy::Depthwise;
}

/// Every op of a body makes elements that kernels can compute.
static LogicalResult verifyMember(GroupOp group, Operation &op) {
  if (!isComputable(&op))
    return group.emitOpError()
           << "has a " << op.getName() << ", which no kernel computes";
  const Strategy strategy = strategyOf(&op);
  if (strategy != Strategy::Loop && strategy != group.getStrategy())
    return group.emitOpError()
           << "is of strategy " << stringifyStrategy(group.getStrategy())
           << " and has a " << op.getName() << ", whose strategy is "
           << stringifyStrategy(strategy);
  if (takesMemory(&op) && !llvm::all_of(op.getOperands(), [](Value operand) {
        return isa<BlockArgument>(operand);
      }))
    return group.emitOpError()
           << "has a " << op.getName() << " of what it computes itself";
  return success();
}

static LogicalResult verifyHearts(GroupOp group, ArrayRef<Operation *> hearts) {
  const Strategy strategy = group.getStrategy();
  if (strategy == Strategy::Loop)
    return success();
  if (hearts.empty() || (hasOneHeart(strategy) && hearts.size() > 1))
    return group.emitOpError()
           << "is of strategy " << stringifyStrategy(strategy) << " and has "
           << hearts.size() << " ops of it; it must have one"
           << (hasOneHeart(strategy) ? "" : " at least");
  Block &body = group.getBody().front();
  if (standsAlone(strategy) &&
      llvm::any_of(body.getTerminator()->getOperands(), [&](Value result) {
        return result.getDefiningOp() != hearts.front();
      }))
    return group.emitOpError()
           << "gives something else than its " << hearts.front()->getName();
  for (Operation *heart : hearts)
    if (shapeOf(heart->getOperand(0)) !=
            shapeOf(hearts.front()->getOperand(0)) ||
        shapeOf(heart->getResult(0)).size() !=
            shapeOf(hearts.front()->getResult(0)).size())
      return group.emitOpError() << "reduces rows of different shapes";
  return success();
}

LogicalResult GroupOp::verify() {
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "has operands of types (" << getInputs().getTypes()
                         << ") but a body over ("
                         << getBody().getArgumentTypes() << ")";
  if (getOutputs().empty())
    return emitOpError() << "has no result";
  Block &body = getBody().front();
  if (body.empty() || !isa<ReturnOp>(body.back()))
    return emitOpError() << "does not end with smp.return";
  SmallVector<Operation *> hearts;
  for (Operation &op : body.without_terminator()) {
    if (failed(verifyMember(*this, op)))
      return failure();
    if (strategyOf(&op) == getStrategy())
      hearts.push_back(&op);
  }
  for (Value result : body.getTerminator()->getOperands())
    if (isa<BlockArgument>(result))
      return emitOpError() << "gives an operand as it is; reshape it";
  if (getStrategy() == Strategy::Loop)
    for (Value result : getOutputs())
      if (shapeOf(result) != shapeOf(getOutputs().front()))
        return emitOpError() << "loops over results of different shapes";
  return verifyHearts(*this, hearts);
}

} // namespace smp::ir
