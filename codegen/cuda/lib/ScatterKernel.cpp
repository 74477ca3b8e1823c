// SPDX-License-Identifier: Apache-2.0
// Strategy "scatter": updates in an order that the op fixes. Where there are
// many, they are sorted by the rows that they fall on.

#include "Scatter.h"
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/Reducer.h"
#include "smp/codegen/Sequences.h"
#include "smp/ir/Tensors.h"
#include <numeric>

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

static Operation *scatterOf(ir::GroupOp group) {
  return group.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
}

static int64_t productOf(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

Scatter::Scatter(ir::GroupOp group)
    : op(scatterOf(group)), elements(dyn_cast<ir::ScatterElementsOp>(op)),
      kind(elements ? elements.getKind() : cast<ir::ScatterNdOp>(op).getKind()),
      type(tensorOf(op->getOperand(0))), indices(tensorOf(op->getOperand(1))),
      updates(tensorOf(op->getOperand(2))),
      axis(elements ? int64_t(elements.getAxis()) : 0) {
  rowDims = size_t(elements ? type.getRank() : indices.getShape().back());
  updateDims = size_t(elements ? updates.getRank() : indices.getRank() - 1);
  rows = productOf(type.getShape().take_front(rowDims));
  slice = productOf(type.getShape().drop_front(rowDims));
  count = productOf(updates.getShape().take_front(updateDims));
}

int64_t Scatter::bound(size_t i) const {
  return type.getDimSize(elements ? axis : int64_t(i));
}

bool Scatter::isSorted() const {
  // A thread that looks at few updates is done before they are sorted.
  constexpr int64_t kFewUpdates = 4, kFewLooks = int64_t(1) << 16;
  const int64_t made = rows * slice;
  return made > 0 && updates.getNumElements() > 0 && count > kFewUpdates &&
         count * made > kFewLooks &&
         std::max(rows, count) <= SortPlan::kMostElements;
}

SortPlan Scatter::sort() const {
  return {/*lines=*/1, count, /*kept=*/count, /*keyBits=*/32};
}

Value Scatter::combine(ElementEmitter &emitter, Value sum, Value value) const {
  if (kind == ir::ScatterKind::Replace)
    return value;
  Type element = type.getElementType();
  Value next =
      codegen::combine(emitter, reduceKindOf(kind), element, sum, value);
  const bool adds =
      kind == ir::ScatterKind::Sum || kind == ir::ScatterKind::Prod;
  return adds ? next : emitter.round(next, element);
}

KernelPlan planScatter(ir::GroupOp group) {
  KernelPlan whole = KernelPlan::inOneLaunch(group);
  const Scatter scatter(group);
  if (!scatter.isSorted())
    return whole;
  const SortPlan sort = scatter.sort();
  const PlannedLaunch &all = whole.launches.front();
  KernelPlan plan;
  plan.temporaries = sort.temporaries(sort.steps.size());
  for (size_t step = 0; step < sort.steps.size(); ++step)
    plan.launches.push_back(
        {step == 0 ? all.inputs : sort.given(step - 1), sort.given(step)});
  plan.launches.push_back({all.inputs, all.outputs});
  llvm::append_range(plan.launches.back().inputs,
                     sort.given(sort.steps.size() - 1));
  return plan;
}

//===----------------------------------------------------------------------===//
// Rows of updates
//===----------------------------------------------------------------------===//

/// The row that update `number` falls on as a key; the last of all where an
/// index is out of range, which is reported.
static Value rowOf(ElementEmitter &emitter, const Scatter &scatter,
                   const Index &number) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  const Position from = emitter.split(
      number, scatter.updates.getShape().take_front(scatter.updateDims));
  Value isInside = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  Value zero = arith::ConstantIntOp::create(b, loc, b.getI64Type(), 0);
  auto indexAt = [&](const Position &where, size_t i) {
    Value index = emitter.element(scatter.op->getOperand(1), where);
    const int64_t bound = scatter.bound(i);
    Value inside = emitter.checkIndex(index, bound, scatter.op);
    isInside = arith::AndIOp::create(b, loc, isInside, inside);
    Value safe = arith::SelectOp::create(b, loc, inside, index, zero);
    return emitter.space.add(
        arith::IndexCastOp::create(b, loc, b.getIndexType(), safe), 0,
        bound - 1);
  };
  Position row;
  if (scatter.elements) {
    row = from;
    row[size_t(scatter.axis)] = indexAt(from, 0);
  } else {
    for (size_t i = 0; i < scatter.rowDims; ++i) {
      Position where = from;
      where.push_back(Index(int64_t(i)));
      row.push_back(indexAt(where, i));
    }
  }
  Type i32 = b.getI32Type();
  const Index line =
      linearize(row, scatter.type.getShape().take_front(scatter.rowDims));
  return arith::SelectOp::create(
      b, loc, isInside,
      arith::IndexCastUIOp::create(b, loc, i32,
                                   emitter.space.emit(b, loc, line)),
      arith::ConstantIntOp::create(b, loc, i32, int64_t(-1)));
}

//===----------------------------------------------------------------------===//
// Few updates
//===----------------------------------------------------------------------===//

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

void emitScatterKernel(KernelFunction &kernel) {
  const Scatter scatter(kernel.group);
  if (!scatter.isSorted())
    return ScatterEmitter(kernel, scatter).emit();
  const SortPlan sort = scatter.sort();
  if (kernel.part == sort.steps.size())
    return emitSortedScatter(kernel, scatter);
  emitSortStep(kernel, sort, kernel.part,
               {[&](const Index &, const Index &number) {
                  return rowOf(kernel.emitter, scatter, number);
                },
                nullptr});
}

} // namespace smp::codegen::cuda
