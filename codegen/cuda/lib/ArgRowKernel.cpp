// SPDX-License-Identifier: Apache-2.0
// smp.arg_reduce along the last dimension: a warp per result, or a block where
// it is of many elements. A thread looks at every so many of them; then of any
// two threads the choice is what it is between one element and a later one. So
// the order in which they are compared has no part in the result.

#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/ArgReduce.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

/// More elements of a result take a block.
static constexpr int64_t kWarpColumns = 1024;
static constexpr int64_t kBlockWarps = 8;
/// Results of a block where each is a warp's.
static constexpr int64_t kBlockRows = 4;

namespace {
/// The element that is chosen so far, and which one it is.
struct Choice {
  Value element, index;
};

class ArgRowEmitter {
public:
  ArgRowEmitter(KernelFunction &kernel, ir::ArgReduceOp op)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), op(op),
        results(ir::tensorOf(op.getResult())),
        element(ir::elementOf(op.getInput())),
        columns(ir::shapeOf(op.getInput())[size_t(op.getAxis())]),
        number(b.getIntegerType(columns <= INT32_MAX ? 32 : 64)),
        warps(columns > kWarpColumns ? kBlockWarps : 1),
        threads(warps * kWarpThreads) {}
  void emit();

private:
  Choice at(const Index &column);
  Choice walk();
  Choice choose(const Choice &one, const Choice &other);
  Choice joinWarps(const Choice &choice);
  void emitResult();

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  ir::ArgReduceOp op;
  const RankedTensorType results;
  const Type element;
  const int64_t columns;
  const Type number; ///< What holds one of theirs.
  const int64_t warps, threads;
  Index thread; ///< Of those that share the result.
  Position row; ///< The result's.
};
} // namespace

Choice ArgRowEmitter::at(const Index &column) {
  Position position = row;
  position.insert(position.begin() + op.getAxis(), column);
  Value index = arith::IndexCastOp::create(b, loc, number,
                                           emitter.space.emit(b, loc, column));
  return {emitter.element(op.getInput(), position), index};
}

/// Of this thread's elements, of which there is one at least.
Choice ArgRowEmitter::walk() {
  const Choice first = at(thread);
  auto next = [&](Index column, ValueRange best) -> SmallVector<Value> {
    const Choice later = at(column);
    Value takes = emitTakesPlace(emitter, op, later.element, best[0]);
    return {arith::SelectOp::create(b, loc, takes, later.element, best[0]),
            arith::SelectOp::create(b, loc, takes, later.index, best[1])};
  };
  const SmallVector<Value> best =
      kernel.stride(thread + Index(threads), threads,
                    llvm::divideCeilSigned(columns, threads) - 1, columns,
                    ValueRange{first.element, first.index}, next);
  return {best[0], best[1]};
}

Choice ArgRowEmitter::choose(const Choice &one, const Choice &other) {
  Value isLater = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        one.index, other.index);
  auto select = [&](Value condition, const Choice &x, const Choice &y) {
    return Choice{
        arith::SelectOp::create(b, loc, condition, x.element, y.element),
        arith::SelectOp::create(b, loc, condition, x.index, y.index)};
  };
  const Choice later = select(isLater, other, one),
               earlier = select(isLater, one, other);
  return select(emitTakesPlace(emitter, op, later.element, earlier.element),
                later, earlier);
}

Choice ArgRowEmitter::joinWarps(const Choice &choice) {
  Value elements = kernel.shared(storageType(element), warps),
        indices = kernel.shared(number, warps);
  Index warp, lane;
  emitter.space.divide(b, loc, thread, kWarpThreads, warp, lane);
  kernel.where(lane, 1, [&](const Index &) {
    emitter.store(choice.element, elements, element, warp);
    emitter.store(choice.index, indices, number, warp);
  });
  kernel.barrier();
  auto of = [&](int64_t i) {
    return Choice{emitter.load(elements, element, Index(i)),
                  emitter.load(indices, number, Index(i))};
  };
  Choice joined = of(0);
  for (int64_t i = 1; i < warps; ++i)
    joined = choose(joined, of(i));
  return joined;
}

void ArgRowEmitter::emitResult() {
  Choice choice = walk();
  for (int64_t mask = 1; mask < kWarpThreads; mask *= 2)
    choice = choose(choice, {kernel.exchange(choice.element, mask),
                             kernel.exchange(choice.index, mask)});
  if (warps > 1)
    choice = joinWarps(choice);
  kernel.where(thread, 1, [&](const Index &) {
    Value index = choice.index;
    if (!index.getType().isInteger(64))
      index = arith::ExtSIOp::create(b, loc, b.getI64Type(), index);
    emitter.define(op.getResult(), row, index);
    storeElements(kernel, row);
  });
}

void ArgRowEmitter::emit() {
  const int64_t count = results.getNumElements(),
                together = warps == 1 ? std::min(kBlockRows, count) : 1;
  const Index inBlock = kernel.thread(together * threads);
  const Index block = kernel.block(0, llvm::divideCeilSigned(count, together));
  Index inTurn;
  emitter.space.divide(b, loc, inBlock, threads, inTurn, thread);
  kernel.where(block * together + inTurn, count, [&](const Index &number) {
    row = emitter.split(number, results.getShape());
    emitResult();
  });
}

void emitArgRowKernel(KernelFunction &kernel) {
  ArgRowEmitter(kernel, *sharedArgReduction(kernel.group)).emit();
}

} // namespace smp::codegen::cuda
