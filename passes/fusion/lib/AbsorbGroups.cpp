// SPDX-License-Identifier: Apache-2.0
// Elementwise groups that one other group reads: their elements are computed
// where they are read. An update's moments and the parameter are one kernel,
// and where reductions compute loops, a norm's gradient is one.

#include "smp/ir/Strategy.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/fusion/GroupPlan.h"

using namespace mlir;

namespace smp::passes {

static ArrayRef<int64_t> shapeOf(Operation *op) {
  return ir::tensorOf(op->getResult(0)).getShape();
}

/// Whether every op gives elements of the group's shape from elements at the
/// same place.
static bool isElementwise(const Group &group) {
  return llvm::all_of(group.ops, [&](Operation *op) {
    return op->hasTrait<ir::trait::Elementwise>() &&
           shapeOf(op) == ArrayRef(group.shape);
  });
}

namespace {
/// What becomes of a group's results.
struct Reading {
  Group *reader = nullptr; ///< The only one that computes with them.
  bool isReduced = false;  ///< By one of its ops at least.
  bool leaves = false;     ///< One is written somewhere, as a variable's value.
};
} // namespace

/// Whether the op computes with elements of `shape`, each at its own place.
static bool takesInPlace(Operation *op, ArrayRef<int64_t> shape) {
  if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    return ir::shapeOf(reduce.getInput()) == shape;
  return op->hasTrait<ir::trait::Elementwise>() && shapeOf(op) == shape;
}

/// Nothing where there is no such reader.
static std::optional<Reading> findReading(const GroupPlan &plan,
                                          const Group &group) {
  Reading reading;
  for (Operation *op : group.ops)
    for (Operation *user : ir::readersOf(op)) {
      Group *its = plan.groupOf(user);
      if (its == &group)
        continue;
      if (!its && user->getNumResults() == 0) {
        reading.leaves = true;
        continue;
      }
      if (!its || (reading.reader && its != reading.reader) ||
          !takesInPlace(user, group.shape))
        return std::nullopt;
      reading.reader = its;
      reading.isReduced |= isa<ir::ReduceOp>(user);
    }
  return reading.reader ? std::optional(reading) : std::nullopt;
}

/// Whether the reader's kernel computes the elements where it reads them. A
/// loop also gives what leaves; all that a product gives follows from its sums.
static bool computesElements(const Reading &reading, const Group &group) {
  const Group &reader = *reading.reader;
  const bool reduces = reader.target.getLoopsInReductions() && !reading.leaves;
  switch (reader.strategy) {
  case ir::Strategy::Loop:
    return reduces || !reading.isReduced;
  case ir::Strategy::Row:
    return reduces && reader.shape == group.shape &&
           llvm::all_of(group.ops, [&](Operation *op) {
             return reduceAlike(reader, reader.ops.front(), op);
           });
  default:
    return ir::keepsSums(reader.strategy) && !reading.leaves;
  }
}

/// No cycle can come of it: whoever depends on an absorbed group did so through
/// the one that absorbs it.
void GroupPlan::absorbProducers() {
  for (auto &group : llvm::reverse(all)) {
    if (group->strategy != ir::Strategy::Loop || !isElementwise(*group))
      continue;
    const std::optional<Reading> reading = findReading(*this, *group);
    if (!reading || !computesElements(*reading, *group))
      continue;
    Group *reader = reading->reader;
    if (!areTogether(*reader, group->ops.front()) ||
        !reader->target.fuses(reader->strategy) ||
        reader->ops.size() + group->ops.size() >
            size_t(reader->target.getGroupOps()))
      continue;
    for (Operation *op : group->ops) {
      of[op] = reader;
      absorbed.insert(op);
    }
    llvm::append_range(reader->ops, group->ops);
    llvm::sort(reader->ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    group->ops.clear();
  }
  llvm::erase_if(all, [](auto &group) { return group->ops.empty(); });
}

} // namespace smp::passes
