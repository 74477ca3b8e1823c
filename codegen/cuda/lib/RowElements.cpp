// SPDX-License-Identifier: Apache-2.0
// The elements of a row: where they are, which of them are a thread's, and what
// it keeps of them.

#include "RowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::elementOf;

/// Sizes of some dimensions of whole rows.
static SmallVector<int64_t> sizesOf(const RowPlan &plan,
                                    ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(
      dims, [&](int64_t dim) { return plan.shape[size_t(dim)]; });
}

void RowEmitter::setRow(const Index &at) {
  number = at;
  row = emitter.split(
      at, sizesOf(plan, ArrayRef(plan.dims).take_front(plan.outerDims)));
}

/// The position of a whole row's element.
Position RowEmitter::at(const Index &column) {
  Position inOrder = row;
  inOrder.append(emitter.split(
      column, sizesOf(plan, ArrayRef(plan.dims).drop_front(plan.outerDims))));
  Position position(plan.dims.size());
  for (auto [dim, index] : llvm::zip_equal(plan.dims, inOrder))
    position[size_t(dim)] = index;
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
  const int64_t turns = rows.vectors / step, rest = rows.vectors % step;
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
  auto recalled = [&](const Index &column, ValueRange inner) {
    recall(number, column);
    return body(column, inner);
  };
  if (!rows.isInParts())
    return isUnrolled() ? unrolled(carried, recalled)
                        : stride(thread, rows.threads(), carried, recalled);
  return kernel.stride(part * rows.partVectors + thread, rows.threads(),
                       rows.partVectors / rows.threads(), rows.vectors, carried,
                       [&](Index vector, ValueRange inner) {
                         return recalled(columnOf(vector), inner);
                       });
}

/// Turns one after the other, so that what they load is under way at the same
/// time and what is kept stays in registers.
bool RowEmitter::isUnrolled() const {
  return memory.registerBytes > 0 && !isAgain;
}

SmallVector<Value> RowEmitter::unrolled(ValueRange carried,
                                        ElementEmitter::LoopBody body) {
  SmallVector<Value> values = carried;
  for (keptTurn = 0; keptTurn < rows.perThread(); ++keptTurn) {
    ElementEmitter::Scope scope(emitter);
    values = body(columnOf(Index(keptTurn * rows.threads()) + thread), values);
  }
  return values;
}

/// Whether a vector is kept. One that is the same thread's whatever its number
/// is not: LLVM has all threads read what is in a place that is a constant.
bool RowEmitter::isKept(const Index &column) const {
  return isInRuns && !isAgain &&
         !column.substitute(IndexSpace::kLane, 0).isConstant();
}

void RowEmitter::recall(unsigned walk, const Index &column) {
  if (!isKept(column))
    return;
  if (isUnrolled()) {
    for (auto [value, turns] : llvm::zip_equal(memory.kept, keptValues))
      if (value.walk < walk)
        emitter.define(value.tensor, at(column), turns[size_t(keptTurn)]);
    return;
  }
  for (auto [value, from] : llvm::zip_equal(memory.kept, keptMemory))
    if (value.walk < walk)
      emitter.define(
          value.tensor, at(column),
          emitter.load(from, elementOf(value.tensor), keptAt + column));
}

void RowEmitter::keep(unsigned walk, const Index &column) {
  if (!isKept(column))
    return;
  if (isUnrolled()) {
    for (auto [value, turns] : llvm::zip_equal(memory.kept, keptValues))
      if (value.walk == walk)
        turns.push_back(emitter.element(value.tensor, at(column)));
    return;
  }
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

} // namespace smp::codegen::cuda
