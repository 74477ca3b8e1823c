// SPDX-License-Identifier: Apache-2.0
// Strategy "loop": each element of the results by itself, rows of the innermost
// dimension in vectors.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cpu {

namespace {
/// The loops of one kernel: rows (all dimensions but the last) by columns.
struct LoopNest {
  KernelFunction kernel;
  ArrayRef<int64_t> shape;
  int64_t rows = 1, columns = 1;
  int64_t lanes, step; ///< Elements per vector, and per turn of the main loop.

  LoopNest(ModuleOp module, ir::GroupOp group, StringRef symbol,
           const Level &level, int64_t lanes, int64_t step);
  void emit();

private:
  void emitRow(const Position &row, Index columnTile, int64_t columnTiles);
  void emitElements(const Position &row, ArrayRef<Index> columns);
  void emitTail(const Position &row);
  Position rowPosition(const Index &row);
};
} // namespace

LoopNest::LoopNest(ModuleOp module, ir::GroupOp group, StringRef symbol,
                   const Level &level, int64_t lanes, int64_t step)
    : kernel(module, group, symbol, level, lanes), lanes(lanes), step(step) {
  shape = ir::tensorOf(group->getResult(0)).getShape();
  for (int64_t size : shape)
    rows *= size;
  if (!shape.empty())
    columns = shape.back();
  rows /= columns;
}

/// Arithmetic per result element, to size tiles by.
static double costPerElement(ir::GroupOp group) {
  double flops = 0;
  for (Operation &op : group.getBody().front())
    if (auto cost = dyn_cast<ir::CostOpInterface>(op))
      flops += cost.getFlops();
  auto type = ir::tensorOf(group->getResult(0));
  return std::max(flops / double(type.getNumElements()), 1.0);
}

void LoopNest::emit() {
  // A tile is big enough to be worth handing to a thread.
  constexpr double kTileFlops = 32768;
  auto tileElements =
      int64_t(std::max(kTileFlops / costPerElement(kernel.group), 1.0));
  int64_t turns = columns / step;
  int64_t turnsPerTile = std::max<int64_t>(tileElements / step, 1);
  int64_t columnTiles =
      std::max<int64_t>((turns + turnsPerTile - 1) / turnsPerTile, 1);
  int64_t rowsPerTile =
      columnTiles > 1 ? 1
                      : std::clamp<int64_t>(tileElements / columns, 1, rows);
  int64_t rowTiles = (rows + rowsPerTile - 1) / rowsPerTile;
  Index columnTile = kernel.tile(0, columnTiles);
  Index rowTile = kernel.tile(1, rowTiles);
  ElementEmitter &emitter = kernel.emitter;
  Index first = rowTile * rowsPerTile;
  auto body = [&](Index r) {
    emitRow(rowPosition(first + r), columnTile, columnTiles);
  };
  if (rows % rowsPerTile == 0)
    return emitter.loop(0, rowsPerTile, 1, body);
  Value left = emitter.space.emit(kernel.builder, emitter.location,
                                  first * -1 + Index(rows));
  Value count = arith::MinSIOp::create(kernel.builder, emitter.location, left,
                                       emitter.indexConstant(rowsPerTile));
  emitter.loop(emitter.indexConstant(0), count, 0, rowsPerTile, ValueRange(),
               [&](Index r, ValueRange) {
                 body(r);
                 return SmallVector<Value>();
               });
}

Position LoopNest::rowPosition(const Index &row) {
  return kernel.emitter.split(row, shape.drop_back(shape.empty() ? 0 : 1));
}

/// Everything is computed before anything is stored: memory likes reads and
/// writes in runs.
void LoopNest::emitElements(const Position &row, ArrayRef<Index> columns) {
  SmallVector<Position, 0> positions(columns.size(), row);
  if (!shape.empty())
    for (auto [at, column] : llvm::zip_equal(positions, columns))
      at.push_back(column);
  ElementEmitter::Scope scope(kernel.emitter);
  if (positions.size() > 1)
    emitReductionsTogether(
        kernel.emitter,
        kernel.group.getBody().front().getTerminator()->getOperands(),
        positions);
  SmallVector<std::tuple<unsigned, Value, Position>, 0> stores;
  for (const Position &at : positions) {
    ElementEmitter::Scope scope(kernel.emitter);
    for (unsigned i = 0; i < kernel.numResults(); ++i)
      stores.push_back({i, kernel.emitter.element(kernel.result(i), at), at});
  }
  for (auto &[result, value, at] : stores)
    kernel.storeResult(result, value, at);
}

/// The loop that is being filled stays as it is written. Unrolled further, it
/// would read along more places at a time than prefetching can follow.
static void forbidUnrolling(OpBuilder &b) {
  auto loop = dyn_cast<scf::ForOp>(b.getInsertionBlock()->getParentOp());
  if (!loop)
    return;
  auto unroll = LLVM::LoopUnrollAttr::get(b.getContext(), b.getBoolAttr(true),
                                          {}, {}, {}, {}, {}, {});
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(
                                       b.getContext(), {}, {}, {}, unroll, {},
                                       {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

void LoopNest::emitRow(const Position &row, Index columnTile,
                       int64_t columnTiles) {
  ElementEmitter &emitter = kernel.emitter;
  OpBuilder &b = kernel.builder;
  Location loc = emitter.location;
  int64_t turns = columns / step;
  auto turn = [&](const Index &t) {
    SmallVector<Index, 0> at;
    for (int64_t u = 0; u < step; u += lanes)
      at.push_back(t * step + emitter.space.lane() + Index(u));
    emitElements(row, at);
    forbidUnrolling(b);
  };
  if (columnTiles == 1) {
    emitter.loop(0, turns, 1, turn);
    return emitTail(row);
  }
  int64_t perTile = (turns + columnTiles - 1) / columnTiles;
  Value low = emitter.space.emit(b, loc, columnTile * perTile);
  Value end = emitter.space.emit(b, loc, columnTile * perTile + Index(perTile));
  Value high =
      arith::MinSIOp::create(b, loc, end, emitter.indexConstant(turns));
  emitter.loop(low, high, 0, turns, ValueRange(), [&](Index t, ValueRange) {
    turn(t);
    return SmallVector<Value>();
  });
  if (columns % step == 0)
    return;
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       emitter.space.emit(b, loc, columnTile),
                                       emitter.indexConstant(columnTiles - 1));
  emitter.branch(isLast, [&] { emitTail(row); });
}

/// What is left of a row after whole turns: single vectors, then elements.
void LoopNest::emitTail(const Position &row) {
  ElementEmitter &emitter = kernel.emitter;
  int64_t done = columns / step * step;
  int64_t vectors = (columns - done) / lanes;
  emitter.loop(0, vectors, 1, [&](Index v) {
    emitElements(row, v * lanes + emitter.space.lane() + Index(done));
  });
  emitter.loop(done + vectors * lanes, columns, 1,
               [&](Index column) { emitElements(row, column); });
}

LaunchShape emitLoopKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                           const Level &level) {
  int64_t lanes = level.vectorBytes * 8 / widestElementBits(group, 8);
  // Cheap elements are a matter of memory; of others, 32 of f32 per turn hide
  // the latency of arithmetic.
  bool isCheap = costPerElement(group) <= 8;
  int64_t step =
      isCheap ? 4 * lanes
              : std::min<int64_t>(4, std::max<int64_t>(32 / lanes, 1)) * lanes;
  LoopNest nest(module, group, symbol, level, lanes, step);
  nest.emit();
  return nest.kernel.launch;
}

} // namespace smp::codegen::cpu
