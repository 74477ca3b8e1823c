// SPDX-License-Identifier: Apache-2.0
// Strategy "row": reductions of the trailing dimensions and elementwise ops
// around them (softmax, norms). Some threads share a row: a warp, or a block
// where rows are long. They walk it once per reduction that it waits for and
// once for the results; what several walks need, each thread keeps of its own
// columns. Operands that all rows share are read once per block, which then has
// several rows in turn.
//
// Thread t takes vectors t, t + threads, ... in order, each lane by itself;
// then lanes are joined pairwise in order, threads pairwise over the bits of
// their numbers, least first, and warps pairwise in order: the tree is a matter
// of the row's length and of the types alone. Where the order is fixed,
// elements go one by one.

#include "RowMemory.h"
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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
/// Rows side by side in a block where each is a warp's.
static constexpr int64_t kBlockRows = 4;
/// Of rows that share operands, those of a block, and blocks that there should
/// be first.
static constexpr int64_t kSharingRows = 32, kSharingBlocks = 256;

namespace {
class RowEmitter {
public:
  explicit RowEmitter(KernelFunction &kernel)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), plan(kernel.group),
        warps(plan.columns > kWarpColumns ? kBlockWarps : 1),
        threads(warps * kWarpThreads),
        vectors(plan.columns / kernel.emitter.lanes),
        isInRuns(plan.shape.empty() ||
                 plan.shape.back() % kernel.emitter.lanes == 0),
        together(warps == 1 ? std::min(kBlockRows, plan.rows) : 1),
        memory(kernel.group, plan, together),
        inTurn(memory.common.empty()
                   ? 1
                   : std::clamp<int64_t>(plan.rows / together / kSharingBlocks,
                                         1, kSharingRows / together)) {}
  void emit();

private:
  /// A reduction of the row, and how its elements are combined.
  struct Part {
    ir::ReduceOp op;
    Reducer reducer;
  };

  void shareOperands(const Index &number);
  void emitRow();
  void emitWalk(unsigned number);
  SmallVector<Value> reduce(ArrayRef<Part> parts, unsigned walk);
  Value reduceAlone(const Part &part);
  SmallVector<Value> accumulate(ArrayRef<Part> parts, const Index &column,
                                ValueRange states);
  Value start(const Reducer &reducer);
  Value join(const Reducer &reducer, Value state);
  Value joinLanes(const Reducer &reducer, Value state);
  Value joinWarps(const Reducer &reducer, Value state);
  void emitResults();
  Position at(const Index &column);
  Value element(Value tensor, const Index &column);
  Index columnOf(const Index &vector) const;
  /// `body` for columns of vectors `first`, `first` + `step` ..., with carried
  /// values.
  SmallVector<Value> stride(const Index &first, int64_t step,
                            ValueRange carried, ElementEmitter::LoopBody body);
  /// The same for this thread's columns in walk `number` of the row; what was
  /// kept before is there.
  SmallVector<Value> walk(unsigned number, ValueRange carried,
                          ElementEmitter::LoopBody body);
  bool isKept(const Index &column) const;
  void recall(unsigned walk, const Index &column);
  void keep(unsigned walk, const Index &column);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  const RowPlan plan;
  const int64_t warps, threads, vectors; ///< Per row.
  const bool isInRuns;    ///< Whether no vector leaves the last dimension.
  const int64_t together; ///< Rows of a block side by side.
  const RowMemory memory;
  const int64_t inTurn; ///< Rows one after the other.
  SmallVector<Value> keptMemory;
  Index keptAt;       ///< Where this row begins there.
  Index warp, thread; ///< Of this thread, in its row.
  Position row;
};
} // namespace

void RowEmitter::emit() {
  const Index number = kernel.thread(together * threads);
  const int64_t perBlock = together * inTurn;
  const Index block = kernel.block(0, (plan.rows + perBlock - 1) / perBlock);
  Index group;
  emitter.space.divide(b, loc, number, kWarpThreads, group, thread);
  if (warps > 1) {
    warp = group;
    thread = number;
    group = Index(0);
  }
  shareOperands(number);
  for (const KeptRow &value : memory.kept)
    keptMemory.push_back(kernel.shared(storageType(elementOf(value.tensor)),
                                       together * plan.columns));
  keptAt = group * plan.columns;
  emitter.loop(0, inTurn, 1, [&](const Index &turn) {
    kernel.where(block * perBlock + turn * together + group, plan.rows,
                 [&](const Index &at) {
                   row = emitter.split(
                       at, ArrayRef(plan.shape).take_front(plan.outerDims));
                   emitRow();
                 });
  });
}

/// Copies what all rows share; from here on it is read there.
void RowEmitter::shareOperands(const Index &number) {
  for (BlockArgument operand : memory.common) {
    Type element = elementOf(operand);
    Value from = kernel.inputMemory(operand.getArgNumber());
    Value to = kernel.shared(storageType(element), plan.columns);
    stride(number, together * threads, {}, [&](Index column, ValueRange) {
      emitter.store(emitter.load(from, element, column), to, element, column);
      return SmallVector<Value>();
    });
    emitter.bind(operand, to);
  }
  if (!memory.common.empty())
    kernel.barrier();
}

void RowEmitter::emitRow() {
  for (unsigned number = 0; number < plan.walks.size(); ++number)
    emitWalk(number);
  emitResults();
}

/// The position of a whole row's element.
Position RowEmitter::at(const Index &column) {
  Position position = row;
  position.append(
      emitter.split(column, ArrayRef(plan.shape).drop_front(plan.outerDims)));
  return position;
}

/// The columns of vector number `vector`, as one index.
Index RowEmitter::columnOf(const Index &vector) const {
  return emitter.lanes == 1 ? vector
                            : vector * emitter.lanes + emitter.space.lane();
}

SmallVector<Value> RowEmitter::stride(const Index &first, int64_t step,
                                      ValueRange carried,
                                      ElementEmitter::LoopBody body) {
  const int64_t turns = vectors / step, rest = vectors % step;
  SmallVector<Value> values =
      emitter.loop(0, turns, 1, carried, [&](Index turn, ValueRange inner) {
        ElementEmitter::Scope scope(emitter);
        return body(columnOf(turn * step + first), inner);
      });
  if (rest == 0)
    return values;
  Value mine = emitter.space.emit(b, loc, first);
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, mine,
                                        emitter.indexConstant(rest));
  SmallVector<Value> before = values;
  return emitter.branch(
      isThere, ValueRange(before).getTypes(),
      [&] {
        Index last = emitter.space.add(mine, 0, rest - 1);
        return body(columnOf(last + Index(turns * step)), before);
      },
      [&] { return before; });
}

SmallVector<Value> RowEmitter::walk(unsigned number, ValueRange carried,
                                    ElementEmitter::LoopBody body) {
  return stride(thread, threads, carried, [&](Index column, ValueRange inner) {
    recall(number, column);
    return body(column, inner);
  });
}

/// Whether a vector is kept. One that is the same thread's whatever its number
/// is not: LLVM has all threads read what is in a place that is a constant.
bool RowEmitter::isKept(const Index &column) const {
  return isInRuns && !column.substitute(IndexSpace::kLane, 0).isConstant();
}

void RowEmitter::recall(unsigned walk, const Index &column) {
  if (!isKept(column))
    return;
  for (auto [value, from] : llvm::zip_equal(memory.kept, keptMemory))
    if (value.walk < walk)
      emitter.define(
          value.tensor, at(column),
          emitter.load(from, elementOf(value.tensor), keptAt + column));
}

void RowEmitter::keep(unsigned walk, const Index &column) {
  if (!isKept(column))
    return;
  for (auto [value, to] : llvm::zip_equal(memory.kept, keptMemory))
    if (value.walk == walk)
      emitter.store(emitter.element(value.tensor, at(column)), to,
                    elementOf(value.tensor), keptAt + column);
}

/// The element of a whole row, or the vector of them.
Value RowEmitter::element(Value tensor, const Index &column) {
  if (column.coefficient(IndexSpace::kLane) == 0)
    return emitter.element(tensor, at(column));
  if (isInRuns)
    return emitter.vectorElement(tensor, at(column));
  return emitter.perLane(computeType(elementOf(tensor)), [&](int64_t lane) {
    return emitter.element(tensor,
                           at(column.substitute(IndexSpace::kLane, lane)));
  });
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

/// Neighbouring states pairwise, until one is left.
static Value joinPairs(const Reducer &reducer, SmallVector<Value> states) {
  for (size_t width = 1; width < states.size(); width *= 2)
    for (size_t i = 0; i + width < states.size(); i += 2 * width)
      states[i] = reducer.join(states[i], states[i + width]);
  return states[0];
}

Value RowEmitter::joinLanes(const Reducer &reducer, Value state) {
  if (emitter.lanes == 1)
    return state;
  SmallVector<Value> states;
  for (int64_t lane = 0; lane < emitter.lanes; ++lane)
    states.push_back(vector::ExtractOp::create(b, loc, state, lane));
  return joinPairs(reducer, states);
}

/// The states of all threads of the row, the same for each.
Value RowEmitter::join(const Reducer &reducer, Value state) {
  state = joinLanes(reducer, state);
  for (int64_t mask = 1; mask < kWarpThreads; mask *= 2)
    state = reducer.join(state, kernel.exchange(state, mask));
  return warps == 1 ? state : joinWarps(reducer, state);
}

Value RowEmitter::joinWarps(const Reducer &reducer, Value state) {
  Type stored = storageType(state.getType());
  Value parts = kernel.shared(stored, warps);
  Index lane, group;
  emitter.space.divide(b, loc, thread, kWarpThreads, group, lane);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        emitter.space.emit(b, loc, lane),
                                        emitter.indexConstant(0));
  emitter.branch(isFirst,
                 [&] { emitter.store(state, parts, state.getType(), warp); });
  kernel.barrier();
  SmallVector<Value> states;
  for (int64_t i = 0; i < warps; ++i)
    states.push_back(emitter.load(parts, state.getType(), Index(i)));
  if (inTurn > 1) // The next row's come to the same place.
    kernel.barrier();
  return joinPairs(reducer, states);
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

void RowEmitter::emitWalk(unsigned number) {
  std::vector<Part> joined, alone;
  for (ir::ReduceOp op : plan.walks[number]) {
    Part part{op, Reducer(emitter, op.getKind(), elementOf(op.getInput()))};
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
    Value result = part.reducer.finish(total, [&](const Reducer &reducer) {
      return reduce(Part{op, reducer}, number)[0];
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
    walk(unsigned(plan.walks.size()), {}, [&](const Index &column, ValueRange) {
      if (isInRuns)
        return store(full, at(column));
      for (int64_t lane = 0; lane < emitter.lanes; ++lane)
        store(full, at(column.substitute(IndexSpace::kLane, lane)));
      return SmallVector<Value>();
    });
  if (single.empty())
    return;
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        emitter.space.emit(b, loc, thread),
                                        emitter.indexConstant(0));
  emitter.branch(isFirst, [&] { store(single, row); });
}

void emitRowKernel(KernelFunction &kernel) { RowEmitter(kernel).emit(); }

} // namespace smp::codegen::cuda
