// SPDX-License-Identifier: Apache-2.0
// Strategy "row": reductions of the trailing dimensions and elementwise ops
// around them (softmax, norms); and loops that reduce dimensions with the last
// one among them. Some threads share a row: a warp, a block where rows are
// long, several blocks where they are few besides (RowParts.cpp). They walk it
// once per reduction that it waits for and once for the results; what several
// walks need, each thread keeps of its own columns: in registers where these
// are few, whose walks then are no loops. Operands that all rows
// share are read once per block, which then has several rows in turn.
//
// Thread t takes vectors t, t + threads, ... in order, each lane by itself;
// then states are joined (RowJoin.h): the tree is a matter of the row's length
// and of the types alone. Where the order is fixed, elements go one by one.

#include "RowEmitter.h"
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::elementOf;
using ir::tensorOf;

/// Rows side by side in a block where each is a warp's.
static constexpr int64_t kBlockRows = 4;
/// Of rows that share operands, those of a block, and blocks that there should
/// be first.
static constexpr int64_t kSharingRows = 32, kSharingBlocks = 256;

/// What a thread's registers have room for beside those that it computes with,
/// and where it is half of that: two blocks of so many threads, or one of more,
/// have all of a multiprocessor.
static constexpr int64_t kThreadBytes = 256, kManyThreads = 512;

/// Nothing where a block has no whole row, or walks it once.
static RowMemory memoryOf(ir::GroupOp group, const Rows &rows, int64_t together,
                          bool isInRuns) {
  if (rows.isInParts() || group.getStrategy() != ir::Strategy::Row)
    return {};
  return RowMemory::of(
      group, rows.plan, together,
      {isInRuns ? rows.perThread() * rows.lanes : 0,
       rows.threads() > kManyThreads ? kThreadBytes / 2 : kThreadBytes});
}

RowEmitter::RowEmitter(KernelFunction &kernel)
    : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
      loc(kernel.emitter.location), rows(kernel.group), plan(rows.plan),
      isInRuns(plan.shape[size_t(plan.dims.back())] % rows.lanes == 0),
      together(rows.warps == 1 ? std::min(kBlockRows, plan.rows) : 1),
      memory(memoryOf(kernel.group, rows, together, isInRuns)),
      inTurn(memory.common.empty()
                 ? 1
                 : std::clamp<int64_t>(plan.rows / together / kSharingBlocks, 1,
                                       kSharingRows / together)),
      threads(kernel, rows.warps, inTurn > 1) {}

void RowEmitter::emit() {
  kernel.wantRegisters(rows.threads() == kManyThreads &&
                               memory.registerBytes <= kThreadBytes / 2
                           ? 2
                           : 1);
  if (rows.isInParts())
    return emitPart();
  const Index inBlock = kernel.thread(together * rows.threads());
  const int64_t perBlock = together * inTurn;
  const Index block = kernel.block(0, (plan.rows + perBlock - 1) / perBlock);
  Index group;
  emitter.space.divide(b, loc, inBlock, rows.threads(), group, thread);
  threads.setPlace(thread);
  shareOperands(inBlock);
  if (memory.registerBytes == 0)
    for (const KeptRow &value : memory.kept)
      keptMemory.push_back(kernel.shared(storageType(elementOf(value.tensor)),
                                         together * plan.columns));
  keptAt = group * plan.columns;
  emitter.loop(0, inTurn, 1, [&](const Index &turn) {
    kernel.where(block * perBlock + turn * together + group, plan.rows,
                 [&](const Index &at) {
                   setRow(at);
                   emitRow();
                 });
  });
}

/// Copies what all rows share; from here on it is read there.
void RowEmitter::shareOperands(const Index &inBlock) {
  for (BlockArgument operand : memory.common) {
    Type element = elementOf(operand);
    Value from = kernel.inputMemory(operand.getArgNumber());
    Value to = kernel.shared(storageType(element), plan.columns);
    stride(inBlock, together * rows.threads(), {},
           [&](Index column, ValueRange) {
             emitter.store(emitter.load(from, element, column), to, element,
                           column);
             return SmallVector<Value>();
           });
    emitter.bind(operand, to);
  }
  if (!memory.common.empty())
    kernel.barrier();
}

void RowEmitter::emitRow() {
  keptValues.assign(memory.kept.size(), {});
  for (unsigned number = 0; number < plan.walks.size(); ++number)
    emitWalk(number);
  emitResults();
}

SmallVector<Value> RowEmitter::accumulate(ArrayRef<Part> parts,
                                          const Index &column,
                                          ValueRange states) {
  SmallVector<Value> next;
  for (auto [part, state] : llvm::zip_equal(parts, states))
    next.push_back(part.reducer.add(
        state, element(ir::ReduceOp(part.op).getInput(), column)));
  return next;
}

/// The state before a thread's first vector.
Value RowEmitter::start(const Reducer &reducer) {
  return emitter.lanes == 1 ? reducer.start()
                            : emitter.broadcast(reducer.start());
}

SmallVector<Value> RowEmitter::reduce(ArrayRef<Part> parts, unsigned number) {
  SmallVector<Value> states;
  for (const Part &part : parts)
    states.push_back(start(part.reducer));
  states = walk(number, states, [&](const Index &column, ValueRange inner) {
    SmallVector<Value> next = accumulate(parts, column, inner);
    keep(number, column);
    return next;
  });
  for (auto [part, state] : llvm::zip_equal(parts, states))
    state = threads.join(part.reducer, state);
  return states;
}

/// Every thread takes all elements of the row.
Value RowEmitter::reduceAlone(const Part &part) {
  return emitter.loop(0, plan.columns, 1, part.reducer.start(),
                      [&](Index column, ValueRange inner) {
                        ElementEmitter::Scope scope(emitter);
                        return accumulate(part, column, inner);
                      })[0];
}

RowEmitter::Part RowEmitter::partOf(ir::ReduceOp op) {
  return {op, Reducer(emitter, op.getKind(), elementOf(op.getInput()))};
}

/// Says what the reduction gives for this row.
void RowEmitter::define(ir::ReduceOp op, Value result) {
  emitter.define(op.getResult(), row,
                 emitter.round(result, elementOf(op.getInput())));
}

void RowEmitter::emitWalk(unsigned number) {
  std::vector<Part> joined, alone;
  for (ir::ReduceOp op : plan.walks[number]) {
    const Part part = partOf(op);
    (part.reducer.isSequential() ? alone : joined).push_back(part);
  }
  SmallVector<Value> totals = reduce(joined, number);
  for (const Part &part : alone) {
    totals.push_back(reduceAlone(part));
    joined.push_back(part);
  }
  for (auto [part, total] : llvm::zip_equal(joined, totals)) {
    ir::ReduceOp op = part.op;
    // All threads of the row see the same total, and take the same branch.
    define(op, part.reducer.finish(total, [&](const Reducer &reducer) {
      isAgain = true;
      Value wide = reduce(Part{op, reducer}, number)[0];
      isAgain = false;
      return wide;
    }));
  }
}

/// Whether this thread is the first of those that share the row.
Value RowEmitter::isFirst() {
  return arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq,
      emitter.space.emit(b, loc, part * rows.threads() + thread),
      emitter.indexConstant(0));
}

bool RowEmitter::isFull(unsigned result) const {
  return tensorOf(kernel.result(result)).getShape() == ArrayRef(plan.shape);
}

void RowEmitter::emitResults() {
  SmallVector<unsigned> full, single;
  for (unsigned i = 0; i < kernel.numResults(); ++i)
    (isFull(i) ? full : single).push_back(i);
  auto store = [&](ArrayRef<unsigned> results, const Position &position) {
    SmallVector<Value> values;
    for (unsigned i : results)
      values.push_back(emitter.element(kernel.result(i), position));
    for (auto [i, value] : llvm::zip_equal(results, values))
      kernel.storeResult(i, value, position);
    return SmallVector<Value>();
  };
  if (!full.empty())
    walk(unsigned(plan.walks.size()), {}, [&](const Index &column, ValueRange) {
      if (isInRuns)
        return store(full, at(column));
      for (int64_t lane = 0; lane < emitter.lanes; ++lane)
        store(full, at(column.substitute(IndexSpace::kLane, lane)));
      return SmallVector<Value>();
    });
  if (single.empty())
    return;
  emitter.branch(isFirst(), [&] { store(single, row); });
}

void emitRowKernel(KernelFunction &kernel) { RowEmitter(kernel).emit(); }

} // namespace smp::codegen::cuda
