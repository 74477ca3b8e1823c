// SPDX-License-Identifier: Apache-2.0
// Strategies "scan", "sort" and "scatter": elements in an order that the op
// fixes.

#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/Reducer.h"
#include "smp/codegen/Sequences.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

void emitScanKernel(KernelFunction &kernel) {
  auto scan = *kernel.group.getBody().getOps<ir::ScanOp>().begin();
  kernel.forEach(countLines(scan), [&](const Index &line) {
    emitScanLine(kernel.emitter, scan, line,
                 [&](Value value, const Position &at) {
                   kernel.storeResult(0, value, at);
                 });
  });
}

//===----------------------------------------------------------------------===//
// Sort
//===----------------------------------------------------------------------===//

namespace {
/// Counts, for each element of a line, those that stand before it: its place.
class SortEmitter {
public:
  SortEmitter(KernelFunction &kernel, ir::TopKOp op)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), op(op), type(tensorOf(op.getInput())),
        axis(op.getAxis()), size(type.getDimSize(axis)) {}
  void emit();

private:
  Value countBefore(const Position &at, Value value);
  void store(Position at, Value value, Value place);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  ir::TopKOp op;
  RankedTensorType type;
  int64_t axis, size;
};
} // namespace

Value SortEmitter::countBefore(const Position &at, Value value) {
  Value mine = emitter.space.emit(b, loc, at[axis]);
  return emitter.loop(
      0, size, 1, emitter.indexConstant(0),
      [&](Index i, ValueRange counts) -> SmallVector<Value> {
        ElementEmitter::Scope scope(emitter);
        Position there = at;
        there[axis] = i;
        Value other = emitter.element(op.getInput(), there);
        // Of equal elements, that which was first.
        Value isEarlier =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                  emitter.space.emit(b, loc, i), mine);
        Value no = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 0);
        Value isNotAfter =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                  emitIsBefore(emitter, op, value, other), no);
        Value isBefore =
            arith::SelectOp::create(b, loc, isEarlier, isNotAfter,
                                    emitIsBefore(emitter, op, other, value));
        Value more =
            arith::AddIOp::create(b, loc, counts[0], emitter.indexConstant(1));
        return {arith::SelectOp::create(b, loc, isBefore, more, counts[0])};
      })[0];
}

void SortEmitter::store(Position at, Value value, Value place) {
  Value index = arith::IndexCastOp::create(
      b, loc, b.getI64Type(), emitter.space.emit(b, loc, at[axis]));
  at[axis] = emitter.space.add(place, 0, op.getK() - 1);
  for (unsigned i = 0; i < kernel.numResults(); ++i)
    kernel.storeResult(i, kernel.result(i) == op.getValues() ? value : index,
                       at);
}

void SortEmitter::emit() {
  kernel.forEach(type.getNumElements(), [&](const Index &number) {
    const Position at = emitter.split(number, type.getShape());
    Value value = emitter.element(op.getInput(), at);
    Value place = countBefore(at, value);
    Value isWanted =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                              emitter.indexConstant(op.getK()));
    emitter.branch(
        isWanted, TypeRange(),
        [&] {
          store(at, value, place);
          return SmallVector<Value>();
        },
        [] { return SmallVector<Value>(); });
  });
}

void emitSortKernel(KernelFunction &kernel) {
  SortEmitter(kernel, *kernel.group.getBody().getOps<ir::TopKOp>().begin())
      .emit();
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

namespace {
/// Each element of the result looks for its updates, in order. 16-bit sums and
/// products are kept in f32 until all are in, so that they are rounded once.
class ScatterEmitter {
public:
  ScatterEmitter(KernelFunction &kernel, Operation *op)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), op(op),
        elements(dyn_cast<ir::ScatterElementsOp>(op)),
        kind(elements ? elements.getKind()
                      : cast<ir::ScatterNdOp>(op).getKind()),
        type(tensorOf(op->getOperand(0))), indices(tensorOf(op->getOperand(1))),
        updates(tensorOf(op->getOperand(2))) {}
  void emit();

private:
  void checkIndices(const Index &number);
  void emitElement(const Position &at);
  Value addMatching(const Position &at, Value sum);
  Value addAlongAxis(const Position &at, Value sum);
  Value addTuples(const Position &at, Value sum);
  Value update(Value sum, Value isMine, const Position &from);
  Value isIndex(const Position &where, const Index &wanted);
  /// Whether `at` is inside `shape` in every dimension but `axis`.
  Value isWithin(const Position &at, ArrayRef<int64_t> shape, int64_t axis);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  Operation *op;
  ir::ScatterElementsOp elements; ///< Null: tuples of indices.
  ir::ScatterKind kind;
  RankedTensorType type, indices, updates;
};
} // namespace

/// Reports index number `number` if it is out of range; by the thread of that
/// number, as others read it too.
void ScatterEmitter::checkIndices(const Index &number) {
  const Position at = emitter.split(number, indices.getShape());
  Value index = emitter.element(op->getOperand(1), at);
  auto check = [&](int64_t dim) {
    emitter.checkIndex(index, type.getDimSize(dim), op);
  };
  if (elements)
    return check(elements.getAxis());
  // Which number of its tuple it is decides the bound.
  const int64_t tuple = indices.getShape().back();
  for (int64_t i = 0; i < tuple; ++i) {
    Value isOfDim = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          emitter.space.emit(b, loc, at.back()),
                                          emitter.indexConstant(i));
    emitter.branch(
        isOfDim, TypeRange(),
        [&] {
          check(i);
          return SmallVector<Value>();
        },
        [] { return SmallVector<Value>(); });
  }
}

Value ScatterEmitter::isIndex(const Position &where, const Index &wanted) {
  Type i64 = b.getI64Type();
  Value index = emitter.element(op->getOperand(1), where);
  if (index.getType() != i64)
    index = arith::ExtSIOp::create(b, loc, i64, index);
  Value mine = arith::IndexCastOp::create(b, loc, i64,
                                          emitter.space.emit(b, loc, wanted));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index, mine);
}

Value ScatterEmitter::update(Value sum, Value isMine, const Position &from) {
  return emitter.branch(
      isMine, sum.getType(),
      [&]() -> SmallVector<Value> {
        Value value = emitter.element(op->getOperand(2), from);
        if (kind == ir::ScatterKind::Replace)
          return {value};
        Value next = combine(emitter, reduceKindOf(kind), type.getElementType(),
                             sum, value);
        const bool adds =
            kind == ir::ScatterKind::Sum || kind == ir::ScatterKind::Prod;
        return {adds ? next : emitter.round(next, type.getElementType())};
      },
      [&] { return SmallVector<Value>{sum}; })[0];
}

Value ScatterEmitter::isWithin(const Position &at, ArrayRef<int64_t> shape,
                               int64_t axis) {
  Value all = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  for (auto [dim, index] : llvm::enumerate(at))
    if (int64_t(dim) != axis && shape[dim] < type.getDimSize(dim))
      all = arith::AndIOp::create(
          b, loc, all,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                emitter.space.emit(b, loc, index),
                                emitter.indexConstant(shape[dim])));
  return all;
}

Value ScatterEmitter::addAlongAxis(const Position &at, Value sum) {
  const int64_t axis = elements.getAxis();
  ArrayRef<int64_t> shape = updates.getShape();
  auto scan = [&]() -> SmallVector<Value> {
    // What is below the shape of updates in the other dimensions.
    Position from;
    for (auto [dim, index] : llvm::enumerate(at))
      from.push_back(
          int64_t(dim) == axis || shape[dim] >= type.getDimSize(dim)
              ? index
              : emitter.space.add(emitter.space.emit(b, loc, index), 0,
                                  std::max<int64_t>(shape[dim] - 1, 0)));
    return emitter.loop(
        0, shape[axis], 1, sum,
        [&](Index i, ValueRange carried) -> SmallVector<Value> {
          Position where = from;
          where[axis] = i;
          return {update(carried[0], isIndex(where, at[axis]), where)};
        });
  };
  return emitter.branch(isWithin(at, shape, axis), sum.getType(), scan,
                        [&] { return SmallVector<Value>{sum}; })[0];
}

Value ScatterEmitter::addTuples(const Position &at, Value sum) {
  const int64_t tuple = indices.getShape().back();
  ArrayRef<int64_t> outer = indices.getShape().drop_back();
  int64_t tuples = 1;
  for (int64_t size : outer)
    tuples *= size;
  return emitter.loop(
      0, tuples, 1, sum,
      [&](Index number, ValueRange carried) -> SmallVector<Value> {
        const Position lead = emitter.split(number, outer);
        Value isMine = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
        for (int64_t i = 0; i < tuple; ++i) {
          Position where = lead;
          where.push_back(Index(i));
          isMine = arith::AndIOp::create(b, loc, isMine,
                                         isIndex(where, at[size_t(i)]));
        }
        Position from = lead;
        from.append(at.begin() + tuple, at.end());
        return {update(carried[0], isMine, from)};
      })[0];
}

void ScatterEmitter::emitElement(const Position &at) {
  Value start = emitter.element(op->getOperand(0), at);
  Value sum = updates.getNumElements() == 0 ? start
              : elements                    ? addAlongAxis(at, start)
                                            : addTuples(at, start);
  kernel.storeResult(0, sum, at);
}

void ScatterEmitter::emit() {
  const int64_t checked =
      updates.getNumElements() == 0 ? 0 : indices.getNumElements();
  const int64_t made = type.getNumElements();
  kernel.forEach(std::max(checked, made), [&](const Index &number) {
    kernel.where(number, checked,
                 [&](const Index &index) { checkIndices(index); });
    kernel.where(number, made, [&](const Index &element) {
      emitElement(emitter.split(element, type.getShape()));
    });
  });
}

void emitScatterKernel(KernelFunction &kernel) {
  ScatterEmitter(kernel, kernel.result(0).getDefiningOp()).emit();
}

} // namespace smp::codegen::cuda
