// SPDX-License-Identifier: Apache-2.0
// Strategy "row": reductions of the trailing dimensions and elementwise ops
// around them (softmax, norms). A row is walked once per reduction that it
// waits for and once for the results; it stays in the first-level cache
// meanwhile.
//
// A reduction runs in kChains vectors side by side. Single vectors that are
// left join the chains in turn, the chains are combined pairwise, the lanes by
// halves, and the last elements one by one: the order is a matter of the row's
// length and the level alone. Where the order is fixed, elements go one by one.
//
// Several reduced dimensions are one to most kernels. Where a broadcast tells
// them apart, no vector of a row is one of its operands': elements are laid
// side by side first, as many as the chains take, and are summed in the order
// that the row has everywhere.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/Reducer.h"
#include "smp/codegen/RowPlan.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cpu {

using ir::elementOf;
using ir::tensorOf;

static constexpr int64_t kChains = 4;

namespace {
class RowEmitter {
public:
  RowEmitter(KernelFunction &kernel, const RowPlan &plan)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), plan(plan) {}
  void emit();

private:
  void emitWalk(unsigned walk);
  void emitResults();
  SmallVector<Value> accumulate(unsigned walk,
                                ArrayRef<ir::ReduceOp> reductions,
                                const Index &column, ValueRange states);
  SmallVector<Value> addVectors(unsigned walk,
                                ArrayRef<ir::ReduceOp> reductions,
                                const Index &first, int64_t count,
                                ArrayRef<Value> states);
  void layOut(unsigned walk, ArrayRef<ir::ReduceOp> reductions,
              const Index &first, int64_t count);
  void save(unsigned walk, const Index &column);
  Value joinLanes(const Reducer &reducer, Value vector);
  Value walkAlone(unsigned walk, ir::ReduceOp reduce, const Reducer &reducer);
  Reducer reducerOf(ir::ReduceOp reduce) {
    return Reducer(emitter, reduce.getKind(), elementOf(reduce.getInput()));
  }
  /// Of what it takes, as it is computed.
  static Type typeOf(ir::ReduceOp reduce) {
    return computeType(elementOf(reduce.getInput()));
  }
  bool isOneDimension() const {
    return int64_t(plan.shape.size()) - plan.outerDims == 1;
  }
  Position at(const Index &column) const;
  void defineSaved(unsigned beforeWalk, const Index &column);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  const RowPlan &plan;
  SmallVector<SmallVector<Value>> savedMemory; ///< As RowPlan::saved.
  SmallVector<Value> laidOut; ///< Memory, by reduction of the walk.
  Position row;
};
} // namespace

void RowEmitter::emit() {
  for (ArrayRef<Value> values : plan.saved) {
    savedMemory.emplace_back();
    for (Value value : values)
      savedMemory.back().push_back(
          kernel.scratch(computeType(elementOf(value)), plan.columns));
  }
  constexpr int64_t kTileElements = 8192;
  int64_t perTile = std::clamp<int64_t>(
      kTileElements / std::max<int64_t>(plan.columns, 1), 1, plan.rows);
  Index first = kernel.tile(0, (plan.rows + perTile - 1) / perTile) * perTile;
  Value low = emitter.space.emit(b, loc, first);
  Value end = emitter.space.emit(b, loc, first + Index(perTile));
  Value high =
      arith::MinSIOp::create(b, loc, end, emitter.indexConstant(plan.rows));
  emitter.loop(low, high, 0, plan.rows, ValueRange(),
               [&](Index number, ValueRange) {
                 row = emitter.split(
                     number, ArrayRef(plan.shape).take_front(plan.outerDims));
                 for (unsigned walk = 0; walk < plan.walks.size(); ++walk)
                   emitWalk(walk);
                 emitResults();
                 return SmallVector<Value>();
               });
}

/// The position of a whole row's element.
Position RowEmitter::at(const Index &column) const {
  Position position = row;
  position.append(
      emitter.split(column, ArrayRef(plan.shape).drop_front(plan.outerDims)));
  return position;
}

/// What earlier walks have kept is read back.
void RowEmitter::defineSaved(unsigned beforeWalk, const Index &column) {
  for (unsigned walk = 0; walk < beforeWalk && walk < savedMemory.size();
       ++walk)
    for (auto [value, memory] :
         llvm::zip(plan.saved[walk], savedMemory[walk])) {
      Type type = cast<MemRefType>(memory.getType()).getElementType();
      emitter.define(value, at(column), emitter.load(memory, type, column));
    }
}

/// Adds the element or vector at `column` to reductions of a walk.
SmallVector<Value> RowEmitter::accumulate(unsigned walk,
                                          ArrayRef<ir::ReduceOp> reductions,
                                          const Index &column,
                                          ValueRange states) {
  ElementEmitter::Scope scope(emitter);
  defineSaved(walk, column);
  SmallVector<Value> next;
  bool isVector = column.coefficient(IndexSpace::kLane) != 0;
  for (auto [number, state] : llvm::enumerate(states)) {
    ir::ReduceOp reduce = reductions[number];
    Value input = reduce.getInput();
    Value value = isVector ? emitter.vectorElement(input, at(column))
                           : emitter.element(input, at(column));
    next.push_back(reducerOf(reduce).add(state, value));
  }
  save(walk, column);
  return next;
}

/// Keeps what later walks need again.
void RowEmitter::save(unsigned walk, const Index &column) {
  for (auto [value, memory] : llvm::zip(plan.saved[walk], savedMemory[walk]))
    emitter.store(emitter.element(value, at(column)), memory,
                  cast<MemRefType>(memory.getType()).getElementType(), column);
}

/// Puts what `reductions` take of `count` columns side by side.
void RowEmitter::layOut(unsigned walk, ArrayRef<ir::ReduceOp> reductions,
                        const Index &first, int64_t count) {
  emitter.loop(0, count, 1, [&](Index i) {
    ElementEmitter::Scope scope(emitter);
    const Index column = first + i;
    defineSaved(walk, column);
    for (auto [reduce, place] : llvm::zip_equal(reductions, laidOut)) {
      Value input = ir::ReduceOp(reduce).getInput();
      emitter.store(emitter.element(input, at(column)), place, typeOf(reduce),
                    i);
    }
    save(walk, column);
  });
}

/// Adds `count` vectors from column `first` on, one to each chain's states.
SmallVector<Value> RowEmitter::addVectors(unsigned walk,
                                          ArrayRef<ir::ReduceOp> reductions,
                                          const Index &first, int64_t count,
                                          ArrayRef<Value> states) {
  const size_t perChain = reductions.size();
  if (!isOneDimension() && count > 0)
    layOut(walk, reductions, first, count * emitter.lanes);
  SmallVector<Value> next;
  for (int64_t c = 0; c < count; ++c) {
    ArrayRef<Value> chain = states.slice(size_t(c) * perChain, perChain);
    const Index column = emitter.space.lane() + Index(c * emitter.lanes);
    if (isOneDimension()) {
      llvm::append_range(next,
                         accumulate(walk, reductions, first + column, chain));
      continue;
    }
    for (auto [reduce, memory, state] :
         llvm::zip_equal(reductions, laidOut, chain)) {
      Reducer reducer = reducerOf(reduce);
      next.push_back(
          reducer.add(state, emitter.load(memory, typeOf(reduce), column)));
    }
  }
  llvm::append_range(next, states.drop_front(next.size()));
  return next;
}

Value RowEmitter::joinLanes(const Reducer &reducer, Value vector) {
  for (int64_t size = emitter.lanes / 2; size >= 1; size /= 2) {
    auto half = [&](int64_t offset) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, vector, ArrayRef(offset), ArrayRef(size),
          ArrayRef<int64_t>(1));
    };
    vector = reducer.join(half(0), half(size));
  }
  return vector::ExtractOp::create(b, loc, vector, int64_t(0));
}

/// The state after all elements of the row, one by one.
Value RowEmitter::walkAlone(unsigned walk, ir::ReduceOp reduce,
                            const Reducer &reducer) {
  return emitter.loop(
      0, plan.columns, 1, reducer.start(),
      [&](Index column, ValueRange state) -> SmallVector<Value> {
        ElementEmitter::Scope scope(emitter);
        defineSaved(walk, column);
        return {reducer.add(state[0],
                            emitter.element(reduce.getInput(), at(column)))};
      })[0];
}

void RowEmitter::emitWalk(unsigned walk) {
  SmallVector<ir::ReduceOp> reductions, alone;
  for (ir::ReduceOp reduce : plan.walks[walk])
    (reducerOf(reduce).isSequential() ? alone : reductions).push_back(reduce);
  size_t count = reductions.size();
  int64_t lanes = emitter.lanes, vectors = plan.columns / lanes;
  SmallVector<Value> starts;
  for (ir::ReduceOp reduce : reductions)
    starts.push_back(reducerOf(reduce).start());
  SmallVector<Value> totals = starts;
  if (vectors) {
    // Chain c's states are items c * count and following.
    int64_t chains = std::min(vectors, kChains);
    SmallVector<Value> states;
    for (int64_t c = 0; c < chains; ++c)
      for (Value value : starts)
        states.push_back(emitter.broadcast(value));
    const int64_t perTurn = chains * lanes;
    laidOut.clear();
    if (!isOneDimension())
      for (ir::ReduceOp reduce : reductions)
        laidOut.push_back(kernel.scratch(storageType(typeOf(reduce)), perTurn));
    states = emitter.loop(
        0, vectors / chains, 1, states, [&](Index t, ValueRange inner) {
          return addVectors(walk, reductions, t * perTurn, chains,
                            SmallVector<Value>(inner));
        });
    states = addVectors(walk, reductions, Index(vectors / chains * perTurn),
                        vectors % chains, states);
    for (size_t r = 0; r < count; ++r) {
      Reducer reducer = reducerOf(reductions[r]);
      for (int64_t width = 1; width < chains; width *= 2)
        for (int64_t c = 0; c + width < chains; c += 2 * width)
          states[c * count + r] = reducer.join(states[c * count + r],
                                               states[(c + width) * count + r]);
      totals[r] = joinLanes(reducer, states[r]);
    }
  }
  totals = emitter.loop(vectors * lanes, plan.columns, 1, totals,
                        [&](Index column, ValueRange inner) {
                          return accumulate(walk, reductions, column, inner);
                        });
  for (ir::ReduceOp reduce : alone) {
    reductions.push_back(reduce);
    totals.push_back(walkAlone(walk, reduce, reducerOf(reduce)));
  }
  for (auto [reduce, total] : llvm::zip_equal(reductions, totals)) {
    Value result = reducerOf(reduce).finish(
        total, [&, reduce = reduce](const Reducer &reducer) {
          return walkAlone(walk, reduce, reducer);
        });
    emitter.define(reduce.getResult(), row,
                   emitter.round(result, elementOf(reduce.getInput())));
  }
}

void RowEmitter::emitResults() {
  SmallVector<unsigned> full;
  for (unsigned i = 0; i < kernel.numResults(); ++i) {
    if (tensorOf(kernel.result(i)).getShape() == ArrayRef(plan.shape))
      full.push_back(i);
    else
      kernel.storeResult(i, emitter.element(kernel.result(i), row), row);
  }
  if (full.empty())
    return;
  auto emitAt = [&](const Index &column) {
    ElementEmitter::Scope scope(emitter);
    defineSaved(unsigned(plan.walks.size()), column);
    for (unsigned i : full)
      kernel.storeResult(i, emitter.element(kernel.result(i), at(column)),
                         at(column));
  };
  int64_t lanes = emitter.lanes,
          vectors = isOneDimension() ? plan.columns / lanes : 0;
  constexpr int64_t kPerTurn = 2;
  emitter.loop(0, vectors / kPerTurn, 1, [&](Index t) {
    for (int64_t v = 0; v < kPerTurn; ++v)
      emitAt(t * (kPerTurn * lanes) + emitter.space.lane() + Index(v * lanes));
  });
  for (int64_t v = vectors / kPerTurn * kPerTurn; v < vectors; ++v)
    emitAt(emitter.space.lane() + Index(v * lanes));
  emitter.loop(vectors * lanes, plan.columns, 1,
               [&](Index column) { emitAt(column); });
}

LaunchShape emitRowKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                          const Level &level) {
  RowPlan plan(group);
  int64_t lanes = level.vectorBytes * 8 / widestElementBits(group, 32);
  KernelFunction kernel(module, group, symbol, level, lanes);
  RowEmitter(kernel, plan).emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
