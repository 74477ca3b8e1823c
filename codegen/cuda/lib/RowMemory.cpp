// SPDX-License-Identifier: Apache-2.0
#include "RowMemory.h"
#include "smp/codegen/ElementEmitter.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::shapeOf;

/// Of the 48 KiB that a kernel may have without asking, what rows take.
static constexpr int64_t kRowBytes = 40 * 1024;

namespace {
class RowMemoryFinder {
public:
  RowMemoryFinder(const RowPlan &plan, int64_t rows) : plan(plan), rows(rows) {}
  void findCommon(ir::GroupOp group);
  void findKept(ir::GroupOp group);

  RowMemory memory;

private:
  void visit(Value value, unsigned walk, llvm::SetVector<Value> &seen) const;
  bool isSavedBefore(Value value, unsigned walk) const;
  /// Whether `copies` rows of such elements fit as well; then they do.
  bool take(Value tensor, int64_t copies);

  const RowPlan &plan;
  const int64_t rows;
  int64_t bytes = 0;
};
} // namespace

bool RowMemoryFinder::take(Value tensor, int64_t copies) {
  const int64_t wanted =
      copies * plan.columns *
      storageType(ir::elementOf(tensor)).getIntOrFloatBitWidth() / 8;
  if (bytes + wanted > kRowBytes)
    return false;
  bytes += wanted;
  return true;
}

/// Whether the operand is there once and stretched over all rows.
static bool isCommon(BlockArgument operand, const RowPlan &plan) {
  if (shapeOf(operand) != ArrayRef(plan.shape).drop_front(plan.outerDims))
    return false;
  return llvm::all_of(operand.getUsers(), [&](Operation *user) {
    auto broadcast = dyn_cast<ir::BroadcastOp>(user);
    return broadcast &&
           shapeOf(broadcast.getResult()) == ArrayRef(plan.shape) &&
           llvm::equal(
               broadcast.getDimensions(),
               llvm::seq<int64_t>(plan.outerDims, int64_t(plan.shape.size())));
  });
}

void RowMemoryFinder::findCommon(ir::GroupOp group) {
  if (plan.outerDims == 0)
    return;
  for (BlockArgument operand : group.getBody().getArguments())
    if (isCommon(operand, plan) && take(operand, 1))
      memory.common.push_back(operand);
}

bool RowMemoryFinder::isSavedBefore(Value value, unsigned walk) const {
  for (unsigned before = 0; before < walk; ++before)
    if (llvm::is_contained(plan.saved[before], value))
      return true;
  return false;
}

/// Adds the operands of whole rows that elements of `value` are computed from
/// in a walk.
void RowMemoryFinder::visit(Value value, unsigned walk,
                            llvm::SetVector<Value> &seen) const {
  if (shapeOf(value) != ArrayRef(plan.shape) || isSavedBefore(value, walk) ||
      !seen.insert(value))
    return;
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<ir::trait::Elementwise>())
    for (Value operand : op->getOperands())
      visit(operand, walk, seen);
}

void RowMemoryFinder::findKept(ir::GroupOp group) {
  llvm::MapVector<Value, unsigned> first;
  auto read = [&](const llvm::SetVector<Value> &seen, unsigned walk) {
    for (Value value : seen) {
      if (!isa<BlockArgument>(value))
        continue;
      auto [at, isNew] = first.try_emplace(value, walk);
      const bool isKept = llvm::any_of(
          memory.kept, [&](const KeptRow &row) { return row.tensor == value; });
      if (!isNew && at->second < walk && !isKept && take(value, rows))
        memory.kept.push_back({value, at->second});
    }
  };
  for (auto [walk, reductions] : llvm::enumerate(plan.walks)) {
    llvm::SetVector<Value> seen;
    for (ir::ReduceOp op : reductions)
      visit(op.getInput(), unsigned(walk), seen);
    read(seen, unsigned(walk));
    for (Value value : plan.saved[walk])
      if (take(value, rows))
        memory.kept.push_back({value, unsigned(walk)});
  }
  llvm::SetVector<Value> seen;
  for (Value result : group.getBody().front().getTerminator()->getOperands())
    visit(result, unsigned(plan.walks.size()), seen);
  read(seen, unsigned(plan.walks.size()));
}

RowMemory RowMemory::of(ir::GroupOp group, const RowPlan &plan, int64_t rows) {
  RowMemoryFinder finder(plan, rows);
  finder.findCommon(group);
  finder.findKept(group);
  return std::move(finder.memory);
}

} // namespace smp::codegen::cuda
