// SPDX-License-Identifier: Apache-2.0
// Rows in parts: a launch per walk, in which a block reduces a part of a row
// and leaves states, and one for the results. Each begins with the states of
// the walks before: thread t takes that of part t, and threads are joined as
// ever.

#include "RowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace smp::codegen::cuda {

void RowEmitter::emitPart() {
  const bool isLast = kernel.part == plan.walks.size();
  const bool isWhole =
      isLast && llvm::none_of(llvm::seq(kernel.numResults()),
                              [&](unsigned i) { return isFull(i); });
  const int64_t blocks = isWhole ? 1 : rows.parts;
  thread = kernel.thread(rows.threads());
  threads.setPlace(thread);
  Index at;
  emitter.space.divide(b, loc, kernel.block(0, plan.rows * blocks), blocks, at,
                       part);
  setRow(at);
  for (const RowStates &states : rows.states)
    if (states.walk < kernel.part)
      defineTotal(states);
  if (isLast)
    emitResults();
  else
    storeStates(kernel.part);
}

/// What was stored for this row.
Value RowEmitter::loadState(const Reducer &reducer, unsigned temporary,
                            const Index &part) {
  return emitter.load(kernel.temporaryMemory(temporary), reducer.stateElement(),
                      number * rows.parts + part);
}

void RowEmitter::storeState(const Reducer &reducer, Value state,
                            unsigned temporary) {
  emitter.store(state, kernel.temporaryMemory(temporary),
                reducer.stateElement(), number * rows.parts + part);
}

Value RowEmitter::joinParts(const Reducer &reducer, unsigned temporary) {
  auto load = [&] { return loadState(reducer, temporary, thread); };
  Value state;
  if (rows.parts == rows.threads()) {
    state = load();
  } else {
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          emitter.space.emit(b, loc, thread),
                                          emitter.indexConstant(rows.parts));
    Value none = reducer.start();
    state = emitter.branch(
        isThere, none.getType(), [&] { return SmallVector<Value>{load()}; },
        [&] { return SmallVector<Value>{none}; })[0];
  }
  return threads.join(reducer, state);
}

void RowEmitter::defineTotal(const RowStates &states) {
  const Reducer reducer = partOf(states.op).reducer;
  Value total = reducer.isSequential()
                    ? loadState(reducer, states.narrow, Index(0))
                    : joinParts(reducer, states.narrow);
  define(states.op, reducer.finish(total, [&](const Reducer &wide) {
    return joinParts(wide, *states.wide);
  }));
}

void RowEmitter::storeStates(unsigned walk) {
  std::vector<Part> joined;
  SmallVector<const RowStates *> kept;
  for (const RowStates &states : rows.states) {
    if (states.walk != walk)
      continue;
    const Part part = partOf(states.op);
    if (part.reducer.isSequential()) {
      emitter.branch(isFirst(), [&] {
        storeState(part.reducer, reduceAlone(part), states.narrow);
      });
      continue;
    }
    joined.push_back(part);
    kept.push_back(&states);
  }
  SmallVector<Value> totals = reduce(joined, walk);
  for (auto [part, total, states] : llvm::zip_equal(joined, totals, kept)) {
    ir::ReduceOp op = part.op;
    Value wide;
    // All threads see the same total, and take the same branch.
    if (states->wide)
      wide = part.reducer.widen(total, [&](const Reducer &reducer) {
        return reduce(Part{op, reducer}, walk)[0];
      });
    kernel.where(thread, 1, [&](const Index &) {
      storeState(part.reducer, total, states->narrow);
      if (wide)
        storeState(part.reducer.wider(), wide, *states->wide);
    });
  }
}

} // namespace smp::codegen::cuda
