// SPDX-License-Identifier: Apache-2.0
// Loops that reduce dimensions before the last one (gradients of biases and
// norms): neighbouring threads take neighbouring columns, some rows of threads
// share the depth, and where columns are few so do several blocks, which leave
// states for a second launch.
//
// Of `deep` rows of threads, row y takes elements y, y + deep, ... of a block's
// part in order; rows are joined pairwise. The second launch joins the states
// of parts in the same way, by 64 rows.

#include "Columns.h"
#include "Strategy.h"
#include "smp/codegen/Reducer.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

/// Threads of a block; but where a column has many of them, a block has as many
/// columns as a sector of the memory holds.
static constexpr int64_t kThreads = 256, kLeastColumns = 8;
/// Rows of threads that join parts.
static constexpr int64_t kPartsDeep = 64;

namespace {
/// A state, and one that never leaves its type; null where the first never
/// does.
struct State {
  Value narrow, wide;
};

class ColumnEmitter {
public:
  ColumnEmitter(KernelFunction &kernel, const Columns &columns)
      : kernel(kernel), emitter(kernel.emitter), columns(columns),
        reducer(emitter, columns.op.getKind(),
                ir::elementOf(columns.op.getInput())),
        joinsParts(kernel.part == 1),
        deep(joinsParts ? kPartsDeep : columns.deep),
        depth(joinsParts ? columns.parts : columns.depth),
        parts(joinsParts ? 1 : columns.parts),
        partDepth(joinsParts
                      ? int64_t(llvm::alignTo(uint64_t(depth), uint64_t(deep)))
                      : columns.partDepth),
        vectors(columns.count / emitter.lanes),
        across(std::min(
            int64_t(llvm::bit_ceil(uint64_t(vectors))),
            std::max(kThreads / deep, kLeastColumns / emitter.lanes))) {}
  void emit();

private:
  State walk();
  Value walk(const Reducer &with);
  Value add(const Reducer &with, Value state, const Index &at);
  Position positionOf(const Index &at) const;
  Value sharedStates(const Reducer &with);
  void share(const Reducer &with, Value state, Value memory);
  Value joinRows(const Reducer &with, Value memory, int64_t first,
                 int64_t count);
  void finish(const State &state);
  Index columnOf(const Index &vector) const {
    return emitter.lanes == 1 ? vector
                              : vector * emitter.lanes + emitter.space.lane();
  }

  KernelFunction &kernel;
  ElementEmitter &emitter;
  const Columns &columns;
  const Reducer reducer;
  const bool joinsParts;
  const int64_t deep, depth, parts, partDepth;
  const int64_t vectors;
  const int64_t across; ///< Threads side by side.
  Index lane, row;      ///< Of this thread in its block.
  Index vector, part;   ///< What it has of columns and depth.
};
} // namespace

/// Where the operand has this thread's columns, at a depth.
Position ColumnEmitter::positionOf(const Index &at) const {
  const Position kept = emitter.split(columnOf(vector), columns.kept);
  const Position reduced = emitter.split(at, columns.reduced);
  const auto *nextKept = kept.begin(), *nextReduced = reduced.begin();
  Position position;
  for (int64_t dim = 0; dim < int64_t(kept.size() + reduced.size()); ++dim)
    position.push_back(llvm::is_contained(columns.op.getDimensions(), dim)
                           ? *nextReduced++
                           : *nextKept++);
  return position;
}

/// The state with what is at a depth: elements, or states of a part.
Value ColumnEmitter::add(const Reducer &with, Value state, const Index &at) {
  if (!joinsParts) {
    Value element = emitter.element(columns.op.getInput(), positionOf(at));
    if (isa<VectorType>(state.getType()) && !isa<VectorType>(element.getType()))
      element = emitter.broadcast(element);
    return with.add(state, element);
  }
  const unsigned temporary = with.isWider() ? 1 : 0;
  return with.join(state, emitter.load(kernel.temporaryMemory(temporary),
                                       with.stateElement(),
                                       at * columns.count + columnOf(vector)));
}

/// The state of this thread's part of the depth.
Value ColumnEmitter::walk(const Reducer &with) {
  Value start = with.start();
  if (emitter.lanes > 1)
    start = emitter.broadcast(start);
  return kernel.stride(part * partDepth + row, deep, partDepth / deep, depth,
                       start, [&](Index at, ValueRange state) {
                         return SmallVector<Value>{add(with, state[0], at)};
                       })[0];
}

State ColumnEmitter::walk() {
  State state{walk(reducer), Value()};
  if (reducer.mayOverflow())
    state.wide = reducer.widen(state.narrow,
                               [&](const Reducer &wide) { return walk(wide); });
  return state;
}

/// Memory for a state of every thread of the block.
Value ColumnEmitter::sharedStates(const Reducer &with) {
  return kernel.shared(storageType(with.stateElement()),
                       deep * across * emitter.lanes);
}

void ColumnEmitter::share(const Reducer &with, Value state, Value memory) {
  emitter.store(state, memory, with.stateElement(),
                columnOf(row * across + lane));
}

/// The states of `count` rows of threads, a power of two, pairwise; of those
/// that have any.
Value ColumnEmitter::joinRows(const Reducer &with, Value memory, int64_t first,
                              int64_t count) {
  if (count == 1)
    return emitter.load(memory, with.stateElement(),
                        columnOf(lane + Index(first * across)));
  const int64_t half = count / 2;
  Value left = joinRows(with, memory, first, half);
  if (first + half >= std::min(partDepth, depth))
    return left;
  return with.join(left, joinRows(with, memory, first + half, half));
}

/// Stores states of the part, or what follows from those of all.
void ColumnEmitter::finish(const State &state) {
  if (parts > 1) {
    const Index place = part * columns.count + columnOf(vector);
    emitter.store(state.narrow, kernel.temporaryMemory(0),
                  reducer.stateElement(), place);
    if (state.wide)
      emitter.store(state.wide, kernel.temporaryMemory(1),
                    reducer.wider().stateElement(), place);
    return;
  }
  Value result =
      reducer.finish(state.narrow, [&](const Reducer &) { return state.wide; });
  const Position position = emitter.split(columnOf(vector), columns.kept);
  emitter.define(columns.op.getResult(), position,
                 emitter.round(result, ir::elementOf(columns.op.getInput())));
  storeElements(kernel, position);
}

void ColumnEmitter::emit() {
  kernel.wantRegisters();
  OpBuilder &b = kernel.builder;
  const int64_t blocks = llvm::divideCeilSigned(vectors, across);
  Index block;
  emitter.space.divide(b, emitter.location, kernel.thread(deep * across),
                       across, row, lane);
  emitter.space.divide(b, emitter.location, kernel.block(0, parts * blocks),
                       blocks, part, block);
  const Index mine = block * across + lane;
  const Reducer wider = reducer.wider();
  const State memory{sharedStates(reducer),
                     reducer.mayOverflow() ? sharedStates(wider) : Value()};
  kernel.where(mine, vectors, [&](const Index &at) {
    vector = at;
    const State state = walk();
    share(reducer, state.narrow, memory.narrow);
    if (state.wide)
      share(wider, state.wide, memory.wide);
  });
  kernel.barrier();
  kernel.where(row, 1, [&](const Index &) {
    kernel.where(mine, vectors, [&](const Index &at) {
      vector = at;
      finish({joinRows(reducer, memory.narrow, 0, deep),
              memory.wide ? joinRows(wider, memory.wide, 0, deep) : Value()});
    });
  });
}

void emitColumnKernel(KernelFunction &kernel) {
  const Columns columns(*sharedReduction(kernel.group));
  ColumnEmitter(kernel, columns).emit();
}

} // namespace smp::codegen::cuda
