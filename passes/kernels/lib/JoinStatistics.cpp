// SPDX-License-Identifier: Apache-2.0
// Statistics that a kernel of their own takes read each value once more, which
// has long left the caches. A loop that goes through all of a value in order,
// because it makes or reads it, has each block of it at hand.

#include "StatisticsGroups.h"
#include "mlir/IR/Builders.h"
#include "smp/ir/Collapse.h"
#include "smp/ir/Strategy.h"
#include "smp/ir/Target.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_JOINSTATISTICSPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {

/// A group, and the value in its body that statistics are to be taken of.
struct Place {
  ir::GroupOp group;
  Value value;
};

/// Statistics of the values of a stage.
class Joining {
public:
  explicit Joining(Block &body) : body(body) {}

  void run() {
    SmallVector<ir::GroupOp> large;
    for (auto group : body.getOps<ir::GroupOp>())
      if (auto statistics = statisticsOf(group);
          statistics && isLarge(statistics))
        large.push_back(group);
    for (ir::GroupOp group : large)
      if (auto place = findPlace(group.getInputs().front()))
        join(group, *place);
  }

private:
  /// Whether the value has more than a block. A smaller one stays in a cache by
  /// itself, and is one of many in a kernel (smp-batch-statistics) that need
  /// not be compiled for it.
  static bool isLarge(ir::StatisticsOp statistics) {
    return ir::shapeOf(statistics.getResult()).front() > 1;
  }

  std::optional<Place> findPlace(Value value) const;
  std::optional<Place> placeAt(Value name) const;
  static void join(ir::GroupOp statistics, const Place &place);

  Block &body;
};
} // namespace

static bool mayTake(ir::GroupOp group) {
  const ir::TargetAttr target = ir::targetOf(group);
  return target.fuses(ir::Strategy::Loop) && ir::isInOrder(group) &&
         int64_t(group.getBody().front().getOperations().size()) <=
             target.getGroupOps(); // The last one is no op of it.
}

/// Where the value is made, else where it is first read.
std::optional<Place> Joining::findPlace(Value value) const {
  const Value root = ir::aliased(value);
  if (auto maker = root.getDefiningOp<ir::GroupOp>(); maker && mayTake(maker))
    return Place{maker, maker.getBody().front().getTerminator()->getOperand(
                            cast<OpResult>(root).getResultNumber())};
  std::optional<Place> first;
  for (Value name : namesOf(root))
    if (auto place = placeAt(name);
        place &&
        (!first || place->group->isBeforeInBlock(first->group.getOperation())))
      first = place;
  return first;
}

/// Where the value is first read under a name, as elements at their places.
std::optional<Place> Joining::placeAt(Value name) const {
  std::optional<Place> first;
  for (OpOperand &use : name.getUses()) {
    auto group = dyn_cast<ir::GroupOp>(use.getOwner());
    if (!group || (first && !group->isBeforeInBlock(first->group)) ||
        !mayTake(group))
      continue;
    Value argument = group.getBody().getArgument(use.getOperandNumber());
    if (ir::shapeOf(argument) == ir::shapeOf(group.getResult(0)))
      first = Place{group, argument};
  }
  return first;
}

/// Has the group give the statistics, too.
void Joining::join(ir::GroupOp statistics, const Place &place) {
  auto [group, value] = place;
  Operation *end = group.getBody().front().getTerminator();
  OpBuilder b(end);
  auto taken = ir::StatisticsOp::create(b, statistics.getLoc(), value);
  end->insertOperands(end->getNumOperands(), taken.getResult());
  b.setInsertionPoint(group);
  SmallVector<Type> types(group.getResultTypes());
  types.push_back(taken.getType());
  auto made = ir::GroupOp::create(
      b, b.getFusedLoc({group.getLoc(), statistics.getLoc()}), types,
      group.getStrategy(), group.getInputs());
  made->setDiscardableAttrs(group->getDiscardableAttrDictionary());
  made.getBody().takeBody(group.getBody());
  statistics.getResult(0).replaceAllUsesWith(made.getResults().back());
  bringBehind(made, made.getResults().back());
  statistics.erase();
  group.replaceAllUsesWith(made.getResults().drop_back());
  group.erase();
}

namespace {
struct JoinStatistics : impl::JoinStatisticsPassBase<JoinStatistics> {
  void runOnOperation() override {
    for (auto stage : getOperation().getOps<ir::StageOp>())
      Joining(stage.getBody().front()).run();
  }
};
} // namespace
} // namespace smp::passes
