// SPDX-License-Identifier: Apache-2.0
// Strategy "row": reductions of the trailing dimensions and elementwise ops
// around them (softmax, norms). Some threads share a row: a warp, or a block
// where rows are long. They walk it once per reduction that it waits for and
// once for the results.
//
// Thread t takes columns t, t + threads, ... in order; then states are joined
// pairwise over the bits of the threads' numbers, least first, and those of
// warps pairwise in order: the tree is a matter of the row's length alone.
// Where the order is fixed, elements go one by one.

#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/Reducer.h"
#include "smp/codegen/RowPlan.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::elementOf;
using ir::tensorOf;

/// Rows beyond this take a block each.
static constexpr int64_t kWarpColumns = 1024;
static constexpr int64_t kBlockWarps = 8;
/// Rows of a block where each is a warp's.
static constexpr int64_t kBlockRows = 4;

namespace {
class RowEmitter {
public:
  explicit RowEmitter(KernelFunction &kernel)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), plan(kernel.group),
        warps(plan.columns > kWarpColumns ? kBlockWarps : 1),
        threads(warps * kWarpThreads) {}
  void emit();

private:
  /// A reduction of the row, and how its elements are combined.
  struct Part {
    ir::ReduceOp op;
    Reducer reducer;
  };

  void emitRow();
  void emitWalk(ArrayRef<ir::ReduceOp> reductions);
  SmallVector<Value> reduce(ArrayRef<Part> parts);
  Value reduceAlone(const Part &part);
  SmallVector<Value> accumulate(ArrayRef<Part> parts, const Index &column,
                                ValueRange states);
  Value join(const Reducer &reducer, Value state);
  Value joinWarps(const Reducer &reducer, Value state);
  void emitResults();
  Position at(const Index &column);
  /// `body` for this thread's columns, with carried values.
  SmallVector<Value> walk(ValueRange carried, ElementEmitter::LoopBody body);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  const RowPlan plan;
  const int64_t warps, threads; ///< Per row.
  Index warp, thread;           ///< Of this thread, in its row.
  Position row;
};
} // namespace

void RowEmitter::emit() {
  ArrayRef<int64_t> outer = ArrayRef(plan.shape).take_front(plan.outerDims);
  auto emitAt = [&](const Index &number) {
    row = emitter.split(number, outer);
    emitRow();
  };
  const int64_t perBlock = warps == 1 ? std::min(kBlockRows, plan.rows) : 1;
  const Index number = kernel.thread(perBlock * threads);
  Index group;
  emitter.space.divide(b, loc, number, kWarpThreads, group, thread);
  const Index block = kernel.block(0, (plan.rows + perBlock - 1) / perBlock);
  if (warps == 1)
    return kernel.where(block * perBlock + group, plan.rows, emitAt);
  warp = group;
  thread = number;
  emitAt(block);
}

void RowEmitter::emitRow() {
  for (ArrayRef<ir::ReduceOp> reductions : plan.walks)
    emitWalk(reductions);
  emitResults();
}

/// The position of a whole row's element.
Position RowEmitter::at(const Index &column) {
  Position position = row;
  position.append(
      emitter.split(column, ArrayRef(plan.shape).drop_front(plan.outerDims)));
  return position;
}

SmallVector<Value> RowEmitter::walk(ValueRange carried,
                                    ElementEmitter::LoopBody body) {
  const int64_t turns = plan.columns / threads, rest = plan.columns % threads;
  SmallVector<Value> values =
      emitter.loop(0, turns, 1, carried, [&](Index turn, ValueRange inner) {
        ElementEmitter::Scope scope(emitter);
        return body(turn * threads + thread, inner);
      });
  if (rest == 0)
    return values;
  Value mine = emitter.space.emit(b, loc, thread);
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, mine,
                                        emitter.indexConstant(rest));
  SmallVector<Value> before = values;
  return emitter.branch(
      isThere, ValueRange(before).getTypes(),
      [&] {
        Index last = emitter.space.add(mine, 0, rest - 1);
        return body(last + Index(turns * threads), before);
      },
      [&] { return before; });
}

SmallVector<Value> RowEmitter::accumulate(ArrayRef<Part> parts,
                                          const Index &column,
                                          ValueRange states) {
  SmallVector<Value> next;
  const Position position = at(column);
  for (auto [part, state] : llvm::zip_equal(parts, states)) {
    Value input = ir::ReduceOp(part.op).getInput();
    next.push_back(part.reducer.add(state, emitter.element(input, position)));
  }
  return next;
}

/// The states of all threads of the row, the same for each.
Value RowEmitter::join(const Reducer &reducer, Value state) {
  for (int64_t mask = 1; mask < kWarpThreads; mask *= 2)
    state = reducer.join(state, kernel.exchange(state, mask));
  return warps == 1 ? state : joinWarps(reducer, state);
}

Value RowEmitter::joinWarps(const Reducer &reducer, Value state) {
  Type stored = storageType(state.getType());
  Value memory = kernel.shared(stored, warps);
  Index lane, group;
  emitter.space.divide(b, loc, thread, kWarpThreads, group, lane);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        emitter.space.emit(b, loc, lane),
                                        emitter.indexConstant(0));
  emitter.branch(
      isFirst, TypeRange(),
      [&] {
        emitter.store(state, memory, state.getType(), warp);
        return SmallVector<Value>();
      },
      [] { return SmallVector<Value>(); });
  kernel.barrier();
  SmallVector<Value> states;
  for (int64_t i = 0; i < warps; ++i)
    states.push_back(emitter.load(memory, state.getType(), Index(i)));
  for (int64_t width = 1; width < warps; width *= 2)
    for (int64_t i = 0; i + width < warps; i += 2 * width)
      states[i] = reducer.join(states[i], states[i + width]);
  return states[0];
}

SmallVector<Value> RowEmitter::reduce(ArrayRef<Part> parts) {
  SmallVector<Value> states;
  for (const Part &part : parts)
    states.push_back(part.reducer.start());
  states = walk(states, [&](const Index &column, ValueRange inner) {
    return accumulate(parts, column, inner);
  });
  for (auto [part, state] : llvm::zip_equal(parts, states))
    state = join(part.reducer, state);
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

void RowEmitter::emitWalk(ArrayRef<ir::ReduceOp> reductions) {
  std::vector<Part> together, alone;
  for (ir::ReduceOp op : reductions) {
    Part part{op, Reducer(emitter, op.getKind(), elementOf(op.getInput()))};
    (part.reducer.isSequential() ? alone : together).push_back(part);
  }
  SmallVector<Value> totals = reduce(together);
  for (const Part &part : alone) {
    totals.push_back(reduceAlone(part));
    together.push_back(part);
  }
  for (auto [part, total] : llvm::zip_equal(together, totals)) {
    ir::ReduceOp op = part.op;
    // All threads of the row see the same total, and take the same branch.
    Value result = part.reducer.finish(total, [&](const Reducer &reducer) {
      return reduce(Part{op, reducer})[0];
    });
    emitter.define(op.getResult(), row,
                   emitter.round(result, elementOf(op.getInput())));
  }
}

void RowEmitter::emitResults() {
  SmallVector<unsigned> full, single;
  for (unsigned i = 0; i < kernel.numResults(); ++i) {
    const bool isFull =
        tensorOf(kernel.result(i)).getShape() == ArrayRef(plan.shape);
    (isFull ? full : single).push_back(i);
  }
  auto store = [&](ArrayRef<unsigned> results, const Position &position) {
    SmallVector<Value> values;
    for (unsigned i : results)
      values.push_back(emitter.element(kernel.result(i), position));
    for (auto [i, value] : llvm::zip_equal(results, values))
      kernel.storeResult(i, value, position);
    return SmallVector<Value>();
  };
  if (!full.empty())
    walk({}, [&](const Index &column, ValueRange) {
      return store(full, at(column));
    });
  if (single.empty())
    return;
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        emitter.space.emit(b, loc, thread),
                                        emitter.indexConstant(0));
  emitter.branch(
      isFirst, TypeRange(), [&] { return store(single, row); },
      [] { return SmallVector<Value>(); });
}

void emitRowKernel(KernelFunction &kernel) { RowEmitter(kernel).emit(); }

} // namespace smp::codegen::cuda
