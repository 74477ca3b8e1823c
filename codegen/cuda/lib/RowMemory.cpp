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
  RowMemoryFinder(ir::GroupOp group, const RowPlan &plan, int64_t rows)
      : group(group), plan(plan), rows(rows) {}
  void findCommon();
  void findKept(const RowRegisters &registers);

  RowMemory memory;

private:
  SmallVector<KeptRow> readAgain();
  void visit(Value value, unsigned walk, llvm::SetVector<Value> &seen) const;
  bool isSavedBefore(Value value, unsigned walk) const;
  /// Whether `copies` rows of such elements fit as well; then they do.
  bool take(Value tensor, int64_t copies);

  ir::GroupOp group;
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

void RowMemoryFinder::findCommon() {
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

/// Adds the values of whole rows that a walk finds in memory, to compute
/// elements of `value` from.
void RowMemoryFinder::visit(Value value, unsigned walk,
                            llvm::SetVector<Value> &seen) const {
  if (shapeOf(value) != ArrayRef(plan.shape) || !seen.insert(value) ||
      isSavedBefore(value, walk))
    return;
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<ir::trait::Elementwise>())
    for (Value operand : op->getOperands())
      visit(operand, walk, seen);
}

/// What a walk has that a later one needs.
SmallVector<KeptRow> RowMemoryFinder::readAgain() {
  llvm::MapVector<Value, KeptRow> found;
  auto read = [&](ValueRange values, unsigned walk) {
    llvm::SetVector<Value> seen;
    for (Value value : values)
      visit(value, walk, seen);
    for (Value value : seen)
      if (isa<BlockArgument>(value) || isSavedBefore(value, walk))
        found.try_emplace(value, KeptRow{value, walk, walk})
            .first->second.last = walk;
  };
  for (auto [walk, reductions] : llvm::enumerate(plan.walks)) {
    for (ir::ReduceOp op : reductions)
      read(op.getInput(), unsigned(walk));
    for (Value value : plan.saved[walk])
      found.try_emplace(value, KeptRow{value, unsigned(walk), unsigned(walk)});
  }
  read(group.getBody().front().getTerminator()->getOperands(),
       unsigned(plan.walks.size()));
  SmallVector<KeptRow> rows;
  for (const auto &[value, row] : found)
    if (row.walk < row.last)
      rows.push_back(row);
  return rows;
}

/// The most that a thread holds between two walks: in the one that needs a
/// value the last time, its registers are free for what that walk makes.
static int64_t registerBytes(ArrayRef<KeptRow> rows, int64_t elements) {
  SmallVector<int64_t> held;
  for (const KeptRow &row : rows) {
    held.resize(std::max<size_t>(held.size(), row.last + 1));
    const unsigned bits =
        computeType(ir::elementOf(row.tensor)).getIntOrFloatBitWidth();
    for (unsigned walk = row.walk + 1; walk <= row.last; ++walk)
      held[walk] += elements * std::max(bits, 32u) / 8;
  }
  return held.empty() ? 0 : *llvm::max_element(held);
}

void RowMemoryFinder::findKept(const RowRegisters &registers) {
  const SmallVector<KeptRow> found = readAgain();
  const int64_t wanted = registerBytes(found, registers.elements);
  if (wanted <= registers.bytes)
    memory.registerBytes = wanted;
  for (const KeptRow &row : found)
    if (memory.registerBytes > 0 || take(row.tensor, rows))
      memory.kept.push_back(row);
}

RowMemory RowMemory::of(ir::GroupOp group, const RowPlan &plan, int64_t rows,
                        const RowRegisters &registers) {
  RowMemoryFinder finder(group, plan, rows);
  finder.findCommon();
  finder.findKept(registers);
  return std::move(finder.memory);
}

} // namespace smp::codegen::cuda
