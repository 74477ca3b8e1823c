// SPDX-License-Identifier: Apache-2.0
// One walk over the block. An op that no group can take starts one; an op joins
// a group that makes one of its operands, if the strategy can compute it there
// and no other operand depends on that group: the group would wait for itself.
//
//   a = exp x              starts a loop
//   p = packed_matmul a w  starts a product: products read memory
//   b = add p bias         joins the product, while its sums are in registers
//   t = tanh b             joins it
//   s = reduce sum t       starts rows: a product's tile does not see a whole
//   row u = div s count        joins the rows
//
// Had u also read b, through an op of a fourth group that reads s, it could not
// have joined the product: dependsOn() walks back from the op's other operands
// to the group, no further than to its first op.
//
// Views that kernels can read through are of no group, which must be known
// before their users are seen: a first walk goes backwards. A last step
// (AbsorbGroups.cpp) has loops computed where their only reader reads them.
#include "smp/passes/fusion/GroupPlan.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Strategy.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Target.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::passes {

using ir::shapeOf;

/// Ops in a chain of views that a kernel reads through.
static constexpr unsigned kMostViews = 16;
/// Ops of a block from a group's first to its last.
static constexpr int64_t kMostGroupStretch = 1024;

bool areTogether(const Group &group, Operation *op) {
  ir::PlacementAttr a = group.placement, b = ir::getPlacement(op);
  return (a && b ? a.getPartition() == b.getPartition() : !a && !b) &&
         group.phase == ir::getPhase(op) && group.watches == ir::isWatcher(op);
}

/// Whether the op computes with elements of 64 bits.
static bool isWide(Operation *op) {
  auto is64 = [](Type type) {
    return cast<RankedTensorType>(type).getElementTypeBitWidth() == 64;
  };
  return llvm::any_of(op->getOperandTypes(), is64) ||
         llvm::any_of(op->getResultTypes(), is64);
}

bool reduceAlike(const Group &group, Operation *member, Operation *op) {
  return group.target.getMixesWidths() || isWide(member) == isWide(op);
}

/// A composite that is kept whole is a kernel by itself.
static bool isElementwise(Operation *op) {
  return op->hasTrait<ir::trait::Elementwise>() &&
         !isa<ir::DecomposeOpInterface>(op);
}

GroupPlan::GroupPlan(Block &block) {
  // Users come after what they use, so that whether an op is a view for its
  // users is known only backwards.
  for (Operation &op : llvm::reverse(block))
    classifyView(&op);
  int64_t number = 0;
  for (Operation &op : block)
    position[&op] = ir::isWatcher(&op) ? number : number++;
  for (Operation &op : block)
    add(op);
  absorbProducers();
}

void GroupPlan::classifyView(Operation *op) {
  bool cheap = ir::isVirtual(op);
  // A product reads its operands element by element wherever they lie.
  bool forProducts =
      isa<ir::TransposeOp, ir::ReshapeOp, ir::SliceOp, ir::ReverseOp>(op) &&
      llvm::all_of(ir::readingUsesOf(op), [&](OpOperand &use) {
        Operation *user = use.getOwner();
        if (isa<ir::PackOp>(user) ||
            (isInlined(user) && !isa<ir::BroadcastOp>(user)))
          return true;
        return isa<ir::TransposeOp>(op) && isa<ir::PackedMatmulOp>(user) &&
               use.getOperandNumber() == 0;
      });
  // Elementwise ops read a slice where it lies.
  bool forElementwise = isa<ir::SliceOp>(op) &&
                        llvm::all_of(ir::readersOf(op), [](Operation *user) {
                          return isElementwise(user);
                        });
  if (!cheap && ((!forProducts && !forElementwise) || op->use_empty()))
    return;
  unsigned depth = 1;
  for (Operation *user : ir::readersOf(op))
    depth = std::max(depth, viewDepth.lookup(user) + 1);
  if (depth <= kMostViews)
    viewDepth[op] = depth;
}

/// The op that makes `value`, looking through broadcasts.
Operation *GroupPlan::throughViews(Value value) const {
  Operation *op = value.getDefiningOp();
  while (op && isa<ir::BroadcastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

void GroupPlan::add(Operation &op) {
  if (isInlined(&op)) {
    // Somebody who takes no copy needs the view as a tensor.
    bool needed = llvm::any_of(op.getUsers(), [&](Operation *user) {
      return (ir::needsNoKernel(user) && !isInlined(user)) ||
             ir::takesMemory(user);
    });
    if (needed && !ir::needsNoKernel(&op))
      start(&op);
    return;
  }
  if (ir::needsNoKernel(&op))
    return;
  if (!tryJoin(&op))
    start(&op);
}

void GroupPlan::start(Operation *op) {
  auto group = std::make_unique<Group>();
  group->number = all.size();
  group->strategy = ir::strategyOf(op);
  group->ops.push_back(op);
  group->placement = ir::getPlacement(op);
  group->target = ir::targetOf(op);
  group->phase = ir::getPhase(op);
  group->watches = ir::isWatcher(op);
  group->shape = llvm::to_vector(shapeOf(op->getResult(0)));
  if (auto reduce = dyn_cast<ir::ReduceOp>(op);
      reduce && group->strategy == ir::Strategy::Row) {
    group->shape = llvm::to_vector(shapeOf(reduce.getInput()));
    group->outerDims =
        int64_t(group->shape.size() - reduce.getDimensions().size());
  }
  of[op] = group.get();
  all.push_back(std::move(group));
}

bool GroupPlan::hasRoom(const Group &group, Operation *op) const {
  return group.ops.size() < size_t(group.target.getGroupOps()) &&
         position.at(op) - position.at(group.ops.front()) < kMostGroupStretch;
}

/// Which of an op's groups it joins rather: those where what else it needs can
/// be computed, sums in registers first.
static unsigned preferenceOf(const Group &group) {
  if (ir::keepsSums(group.strategy))
    return 2;
  return group.strategy == ir::Strategy::Row &&
         group.target.getLoopsInReductions();
}

bool GroupPlan::tryJoin(Operation *op) {
  SmallVector<std::pair<size_t, Value>> candidates;
  for (Value operand : op->getOperands())
    if (Operation *producer = throughViews(operand))
      if (Group *group = groupOf(producer))
        candidates.push_back({group->number, operand});
  // Of those that are alike the latest, which has the fewest dependants.
  llvm::sort(candidates, [&](auto &a, auto &b) {
    return std::pair(preferenceOf(*all[a.first]), a.first) >
           std::pair(preferenceOf(*all[b.first]), b.first);
  });
  for (auto [number, operand] : candidates) {
    Group &group = *all[number];
    const ir::Strategy joined =
        isa<ir::ReduceOp>(op) ? ir::Strategy::Row : group.strategy;
    if (group.closed || !group.target.fuses(joined) || !hasRoom(group, op) ||
        !areTogether(group, op) || !mayJoin(op, operand, group))
      continue;
    bool cyclic = llvm::any_of(op->getOperands(), [&](Value value) {
      Operation *producer = throughViews(value);
      return producer && groupOf(producer) != &group &&
             dependsOn(producer, group);
    });
    if (cyclic)
      continue;
    if (auto reduce = dyn_cast<ir::ReduceOp>(op);
        reduce && group.strategy != ir::Strategy::Row) {
      group.strategy = ir::Strategy::Row;
      group.outerDims =
          int64_t(group.shape.size() - reduce.getDimensions().size());
    }
    group.closed = isa<ir::TransposeOp>(op);
    group.ops.push_back(op);
    of[op] = &group;
    return true;
  }
  return false;
}

bool GroupPlan::mayJoin(Operation *op, Value through, Group &group) {
  if (group.strategy == ir::Strategy::Row)
    return mayJoinRow(op, group);
  if (ir::keepsSums(group.strategy)) {
    auto fits = [&](Operation *user) {
      return isElementwise(user) &&
             shapeOf(user->getResult(0)) == ArrayRef(group.shape) &&
             areTogether(group, user);
    };
    if (groupOf(through.getDefiningOp()) != &group)
      return false;
    if (auto transpose = dyn_cast<ir::TransposeOp>(op))
      return group.strategy == ir::Strategy::Product &&
             ir::hasOneReader(through) &&
             through.getDefiningOp() == group.ops.back() &&
             transpose.getPermutation().back() + 1 ==
                 int64_t(group.shape.size());
    // The sums stay in registers: nobody but what may join should want them,
    // or who has to read them from memory at any rate.
    return fits(op) && (ir::hasOneReader(through) ||
                        llvm::all_of(ir::readersOf(through.getDefiningOp()),
                                     [&](Operation *user) {
                                       return fits(user) ||
                                              !areTogether(group, user);
                                     }));
  }
  if (group.strategy != ir::Strategy::Loop)
    return false;
  if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    return ir::strategyOf(op) == ir::Strategy::Row &&
           shapeOf(reduce.getInput()) == ArrayRef(group.shape) &&
           llvm::all_of(group.ops, [&](Operation *member) {
             return isElementwise(member) && reduceAlike(group, member, op);
           });
  return isElementwise(op) &&
         shapeOf(op->getResult(0)) == ArrayRef(group.shape) &&
         through.getDefiningOp() == throughViews(through);
}

/// A row group takes elementwise ops on whole rows or on one value per row, and
/// further reductions of its rows.
bool GroupPlan::mayJoinRow(Operation *op, Group &group) {
  ArrayRef<int64_t> full = group.shape,
                    outer = full.take_front(group.outerDims);
  if (!reduceAlike(group, group.ops.front(), op))
    return false;
  if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    return shapeOf(reduce.getInput()) == full &&
           ir::strategyOf(op) == ir::Strategy::Row &&
           int64_t(full.size() - reduce.getDimensions().size()) ==
               group.outerDims;
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  if (!isElementwise(op) || (shape != full && shape != outer))
    return false;
  // A row's value may only be stretched over its own row.
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    auto broadcast = operand.getDefiningOp<ir::BroadcastOp>();
    if (!broadcast)
      return true;
    Operation *producer = broadcast.getInput().getDefiningOp();
    if (!producer || groupOf(producer) != &group)
      return producer == nullptr || groupOf(throughViews(operand)) != &group;
    return shape == full && shapeOf(broadcast.getInput()) == outer &&
           llvm::equal(broadcast.getDimensions(),
                       llvm::seq<int64_t>(0, group.outerDims));
  });
}

/// Whether `op`, or what is computed together with it, needs a result of
/// `group`.
bool GroupPlan::dependsOn(Operation *op, const Group &group) {
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Operation *> worklist{op};
  Operation *first = group.ops.front();
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    Group *its = groupOf(next);
    if (its == &group)
      return true;
    // A unit whose ops all come before the group cannot need it.
    Operation *last = its ? its->ops.back() : next;
    if (last->isBeforeInBlock(first) ||
        !seen.insert(its ? its->ops.front() : next).second)
      continue;
    SmallVector<Operation *> members{next};
    if (its)
      members = its->ops;
    for (Operation *member : members)
      for (Value operand : member->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          worklist.push_back(producer);
  }
  return false;
}

} // namespace smp::passes
