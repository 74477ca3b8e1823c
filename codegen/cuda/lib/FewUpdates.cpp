// SPDX-License-Identifier: Apache-2.0
// Scatters of few updates: each element of the result looks for its own, in the
// order that the op fixes.

#include "Scatter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

namespace {
/// Each element of the result looks for its updates, in order.
class ScatterEmitter {
public:
  ScatterEmitter(KernelFunction &kernel, const Scatter &scatter)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), scatter(scatter), op(scatter.op),
        elements(scatter.elements), type(scatter.type),
        indices(scatter.indices), updates(scatter.updates) {}
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
  const Scatter &scatter;
  Operation *op;
  ir::ScatterElementsOp elements;
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
    emitter.branch(isOfDim, [&] { check(i); });
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
        return {scatter.combine(emitter, sum,
                                emitter.element(op->getOperand(2), from))};
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

void emitFewUpdates(KernelFunction &kernel, const Scatter &scatter) {
  ScatterEmitter(kernel, scatter).emit();
}

} // namespace smp::codegen::cuda
