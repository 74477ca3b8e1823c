// SPDX-License-Identifier: Apache-2.0
// Strategy "sort": top_k along an axis by a stable merge sort of indices.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/codegen/Sequences.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cpu {

namespace {
/// Sorts the positions along one line of the input.
class SortEmitter {
public:
  SortEmitter(KernelFunction &kernel, ir::TopKOp op)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), op(op),
        input(ir::tensorOf(op.getInput())), axis(op.getAxis()),
        size(input.getDimSize(axis)) {}
  void emit();

private:
  void emitMerge(Value from, Value to, const Index &width);
  Value comesFirst(Value left, Value right);
  Value valueAt(Value index);
  Value loadIndex(Value memory, Value at) {
    return memref::LoadOp::create(b, loc, memory, at);
  }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value less(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  }

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  ir::TopKOp op;
  RankedTensorType input;
  int64_t axis, size;
  Position line;
};
} // namespace

Value SortEmitter::valueAt(Value index) {
  Value position = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  Position at = line;
  at.insert(at.begin() + axis, emitter.space.add(position, 0, size - 1));
  return emitter.element(op.getInput(), at);
}

/// Whether element `right` goes before element `left`, which stands before it.
Value SortEmitter::comesFirst(Value left, Value right) {
  Value x = valueAt(left), y = valueAt(right);
  return emitIsBefore(emitter, op, y, x);
}

/// Merges neighbouring sorted runs of `width` from one buffer into the other.
void SortEmitter::emitMerge(Value from, Value to, const Index &width) {
  Value run = emitter.space.emit(b, loc, width);
  Value end = emitter.indexConstant(size);
  Value twice = add(run, run);
  auto outer = scf::ForOp::create(b, loc, emitter.indexConstant(0), end, twice);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(outer.getBody());
  ElementEmitter::Scope scope(emitter);
  Value low = outer.getInductionVar();
  Value middle = min(add(low, run), end), high = min(add(low, twice), end);
  auto inner = scf::ForOp::create(b, loc, low, high, emitter.indexConstant(1),
                                  ValueRange{low, middle});
  b.setInsertionPointToStart(inner.getBody());
  Value left = inner.getRegionIterArg(0), right = inner.getRegionIterArg(1);
  // Which side gives the next element? Reads beyond a side are not used.
  Value leftLeft = less(left, middle), rightLeft = less(right, high);
  Value last = emitter.indexConstant(size - 1);
  Value l = loadIndex(from, min(left, last)),
        r = loadIndex(from, min(right, last));
  ElementEmitter::Scope inside(emitter);
  Value rightWins = arith::AndIOp::create(b, loc, rightLeft, comesFirst(l, r));
  Value no = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 0);
  Value isLeftOver =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, leftLeft, no);
  Value takeRight = arith::OrIOp::create(b, loc, isLeftOver, rightWins);
  memref::StoreOp::create(b, loc,
                          arith::SelectOp::create(b, loc, takeRight, r, l), to,
                          inner.getInductionVar());
  Value one = emitter.indexConstant(1);
  Value nextLeft =
      arith::SelectOp::create(b, loc, takeRight, left, add(left, one));
  Value nextRight =
      arith::SelectOp::create(b, loc, takeRight, add(right, one), right);
  scf::YieldOp::create(b, loc, ValueRange{nextLeft, nextRight});
}

void SortEmitter::emit() {
  SmallVector<int64_t> others(input.getShape());
  others.erase(others.begin() + axis);
  int64_t lines = input.getNumElements() / std::max<int64_t>(size, 1);
  line = emitter.split(kernel.tile(0, lines), others);
  Type i64 = b.getI64Type();
  Value buffers[2] = {kernel.scratch(i64, size), kernel.scratch(i64, size)};
  emitter.loop(0, size, 1, [&](Index i) {
    Value number = emitter.space.emit(b, loc, i);
    memref::StoreOp::create(b, loc,
                            arith::IndexCastOp::create(b, loc, i64, number),
                            buffers[0], number);
  });
  int current = 0;
  for (int64_t width = 1; width < size; width *= 2, current ^= 1)
    emitMerge(buffers[current], buffers[current ^ 1], Index(width));
  emitter.loop(0, op.getK(), 1, [&](Index i) {
    ElementEmitter::Scope scope(emitter);
    Value index = loadIndex(buffers[current], emitter.space.emit(b, loc, i));
    Position at = line;
    at.insert(at.begin() + axis, i);
    for (unsigned r = 0; r < kernel.numResults(); ++r)
      kernel.storeResult(
          r, kernel.result(r) == op.getValues() ? valueAt(index) : index, at);
  });
}

LaunchShape emitSortKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                           const Level &level) {
  KernelFunction kernel(module, group, symbol, level, /*lanes=*/1);
  SortEmitter(kernel, *group.getBody().getOps<ir::TopKOp>().begin()).emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
