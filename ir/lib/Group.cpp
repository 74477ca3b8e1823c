// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Verifier.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Role.h"
#include "smp/ir/Strategy.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace smp::ir {

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
      .Case<DecomposeOpInterface>([](auto) { return Strategy::Whole; })
      .Default([](Operation *) { return Strategy::Loop; });
}

bool isComputable(Operation *op) {
  return isa<RoleOpInterface>(op) && !isa<GroupOp>(op) &&
         (roleOf(op) == OpRole::Compute || roleOf(op) == OpRole::Movement ||
          isView(op) || isVirtual(op));
}

bool takesMemory(Operation *op) {
  return isa<ConcatOp, DecomposeOpInterface>(op);
}

unsigned numElementResults(GroupOp group) {
  auto isElements = [](Value result) {
    return !result.getDefiningOp<StatisticsOp>();
  };
  return unsigned(llvm::count_if(
      group.getBody().front().getTerminator()->getOperands(), isElements));
}

bool keepsSums(Strategy strategy) {
  return strategy == Strategy::Product || strategy == Strategy::Depthwise;
}

//===----------------------------------------------------------------------===//
// What fits a strategy
//===----------------------------------------------------------------------===//

/// Whether a kernel of that strategy is built around a single op.
static bool hasOneHeart(Strategy strategy) {
  return strategy != Strategy::Loop && strategy != Strategy::Row &&
         strategy != Strategy::Whole;
}

/// Whether the op that a kernel is built around gives all its results.
static bool standsAlone(Strategy strategy) {
  return hasOneHeart(strategy) && !keepsSums(strategy);
}

/// Every op of a body makes elements that kernels can compute.
static LogicalResult verifyMember(GroupOp group, Operation &op) {
  if (group.getStrategy() == Strategy::Loop && isa<StatisticsOp>(op))
    return success();
  const bool isWhole = isa<DecomposeOpInterface>(op);
  if (!isComputable(&op) || (isWhole && group.getStrategy() != Strategy::Whole))
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

/// Results are those of the hearts, each once at most.
static LogicalResult verifyAlone(GroupOp group, ArrayRef<Operation *> hearts) {
  llvm::DenseSet<Value> given;
  for (Value result : group.getBody().front().getTerminator()->getOperands())
    if (!llvm::is_contained(hearts, result.getDefiningOp()) ||
        !given.insert(result).second)
      return group.emitOpError()
             << "gives something else than its " << hearts.front()->getName();
  return success();
}

/// Several composites in one kernel are alike but for their shapes.
static LogicalResult verifyWhole(GroupOp group, ArrayRef<Operation *> hearts) {
  auto elementsOf = [](Operation *op) {
    return llvm::map_to_vector(op->getOperands(), elementOf);
  };
  for (Operation *heart : hearts.drop_front())
    if (heart->getName() != hearts.front()->getName() ||
        elementsOf(heart) != elementsOf(hearts.front()))
      return group.emitOpError() << "has composites of different ops or types "
                                    "of elements; a kernel computes one kind";
  return verifyAlone(group, hearts);
}

/// What follows a product is done with its sums, element by element; they are
/// transposed last.
static LogicalResult verifySums(GroupOp group, Operation *heart) {
  if (!isa<BlockArgument>(heart->getOperand(1)))
    return group.emitOpError()
           << "has a " << heart->getName() << " by what it computes itself";
  ArrayRef<int64_t> shape = shapeOf(heart->getResult(0));
  llvm::DenseSet<Value> sums{heart->getResult(0)};
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (llvm::none_of(op.getOperands(),
                      [&](Value operand) { return sums.contains(operand); }))
      continue;
    const bool isLast =
        group.getStrategy() == Strategy::Product && isa<TransposeOp>(op) &&
        llvm::all_of(op.getUsers(),
                     [](Operation *user) { return isa<ReturnOp>(user); });
    const bool isEach =
        op.hasTrait<trait::Elementwise>() && shapeOf(op.getResult(0)) == shape;
    if (!isLast && !isEach)
      return group.emitOpError() << "has a " << op.getName()
                                 << " of the sums of its " << heart->getName();
    sums.insert(op.getResult(0));
  }
  for (Value result : group.getBody().front().getTerminator()->getOperands())
    if (!sums.contains(result))
      return group.emitOpError()
             << "gives what does not follow from its " << heart->getName();
  return success();
}

/// Everything is as large as the rows, or has one element per row.
static LogicalResult verifyRows(GroupOp group, ArrayRef<Operation *> reduces) {
  ArrayRef<int64_t> rows = shapeOf(reduces.front()->getOperand(0)),
                    outer = shapeOf(reduces.front()->getResult(0));
  auto fits = [&](Value value) {
    return shapeOf(value) == rows || shapeOf(value) == outer;
  };
  auto isReducedSo = [&](Operation *reduce) {
    return shapeOf(reduce->getOperand(0)) == rows &&
           shapeOf(reduce->getResult(0)) == outer;
  };
  const bool allFit = llvm::all_of(
      group.getBody().front().without_terminator(), [&](Operation &op) {
        return !op.hasTrait<trait::Elementwise>() || fits(op.getResult(0));
      });
  if (allFit && llvm::all_of(reduces, isReducedSo) &&
      llvm::all_of(group.getOutputs(), fits))
    return success();
  return group.emitOpError() << "has rows of different shapes";
}

/// Results share a shape. Statistics are given behind them, of what is in
/// memory and has that shape, too.
static LogicalResult verifyLoop(GroupOp group) {
  ValueRange given = group.getBody().front().getTerminator()->getOperands();
  const unsigned numElements = numElementResults(group);
  if (numElements == 0)
    return group.emitOpError() << "is of strategy loop and gives statistics "
                                  "alone; such a group is of strategy whole";
  ArrayRef<int64_t> shape = shapeOf(given.front());
  for (Value result : given.take_front(numElements))
    if (shapeOf(result) != shape)
      return group.emitOpError() << "loops over results of different shapes";
  for (auto statistics : group.getBody().getOps<StatisticsOp>()) {
    Value of = statistics.getInput();
    if (shapeOf(of) != shape ||
        !(isa<BlockArgument>(of) || llvm::is_contained(given, of)))
      return group.emitOpError()
             << "takes statistics of what is neither an operand nor a result "
                "of the shape that it loops over";
    if (!llvm::is_contained(given.drop_front(numElements),
                            statistics.getResult()))
      return group.emitOpError() << "takes statistics and does not give them "
                                    "behind its elements";
  }
  return success();
}

static LogicalResult verifyHearts(GroupOp group, ArrayRef<Operation *> hearts) {
  const Strategy strategy = group.getStrategy();
  if (strategy == Strategy::Loop)
    return verifyLoop(group);
  if (hearts.empty() || (hasOneHeart(strategy) && hearts.size() > 1))
    return group.emitOpError()
           << "is of strategy " << stringifyStrategy(strategy) << " and has "
           << hearts.size() << " ops of it; it must have one"
           << (hasOneHeart(strategy) ? "" : " at least");
  if (strategy == Strategy::Row)
    return verifyRows(group, hearts);
  if (strategy == Strategy::Whole)
    return verifyWhole(group, hearts);
  return standsAlone(strategy) ? verifyAlone(group, hearts)
                               : verifySums(group, hearts.front());
}

/// Pairs of an operand and a result.
static LogicalResult verifyInPlace(GroupOp group) {
  auto pairs = group->getAttrOfType<DenseI64ArrayAttr>(kInPlaceAttr);
  if (!pairs)
    return success();
  const auto isThere = [&](int64_t i) {
    const int64_t count =
        i % 2 ? group->getNumResults() : group->getNumOperands();
    return pairs[i] >= 0 && pairs[i] < count;
  };
  if (pairs.size() % 2 == 0 &&
      llvm::all_of(llvm::seq<int64_t>(0, pairs.size()), isThere))
    return success();
  return group.emitOpError()
         << kInPlaceAttr << " is " << Attribute(pairs)
         << "; it must be pairs of one of " << group->getNumOperands()
         << " operands and one of " << group->getNumResults()
         << " results, by number";
}

LogicalResult GroupOp::verify() {
  if (failed(verifyInPlace(*this)))
    return failure();
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
    // What is looked at must be sound itself.
    if (failed(mlir::verify(&op)) || failed(verifyMember(*this, op)))
      return failure();
    if (strategyOf(&op) == getStrategy())
      hearts.push_back(&op);
  }
  return verifyHearts(*this, hearts);
}

} // namespace smp::ir
