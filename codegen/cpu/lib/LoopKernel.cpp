// SPDX-License-Identifier: Apache-2.0
// Strategy "loop": each element of the results by itself, rows of the innermost
// dimension in vectors.

#include "WatchedLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cpu {

namespace {
/// The loops of one kernel: rows (all dimensions but the last) by columns.
struct LoopNest {
  ModuleOp module;
  KernelFunction kernel;
  ArrayRef<int64_t> shape;
  int64_t rows = 1, columns = 1;
  int64_t lanes, step; ///< Elements per vector, and per turn of the main loop.
  /// The dimension among those of rows that is counted last, and how many rows
  /// are filled side by side.
  std::optional<int64_t> crossed;
  int64_t rowsAtOnce = 1;

  LoopNest(ModuleOp module, ir::GroupOp group, StringRef symbol,
           const Level &level, int64_t lanes, int64_t step);
  void readAcross(int64_t dim, int64_t atOnce) {
    crossed = dim;
    rowsAtOnce = std::min(atOnce, rows);
  }
  void emit();

private:
  using ColumnsBody = function_ref<void(ArrayRef<Index>)>;
  /// Which tile of a row's columns, and of how many.
  struct ColumnTile {
    Index tile;
    int64_t count;
    int64_t turns; ///< Of each but the last, which may have fewer.
  };
  void emitBlock(const Index &block, const ColumnTile &tile);
  void forColumns(const ColumnTile &tile, ColumnsBody body);
  void forTail(ColumnsBody body);
  void forSome(const Index &first, int64_t count, int64_t all,
               function_ref<void(Index)> body);
  void emitElements(const Position &row, ArrayRef<Index> columns);
  Position rowPosition(const Index &row);
};
} // namespace

LoopNest::LoopNest(ModuleOp module, ir::GroupOp group, StringRef symbol,
                   const Level &level, int64_t lanes, int64_t step)
    : module(module), kernel(module, group, symbol, level, lanes), lanes(lanes),
      step(step) {
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

/// The dimension of the results that an operand has last, where that is not the
/// results' own last one.
static std::optional<int64_t> crossedDim(ir::GroupOp group) {
  ArrayRef<int64_t> shape = ir::tensorOf(group->getResult(0)).getShape();
  for (auto transpose : group.getBody().getOps<ir::TransposeOp>()) {
    ArrayRef<int64_t> from = transpose.getPermutation();
    const auto last = int64_t(from.size()) - 1;
    if (ir::tensorOf(transpose.getResult()).getShape() == shape &&
        from.back() != last)
      return llvm::find(from, last) - from.begin();
  }
  return std::nullopt;
}

void LoopNest::emit() {
  // A tile is big enough to be worth handing to a thread.
  constexpr double kTileFlops = 32768;
  auto tileElements =
      int64_t(std::max(kTileFlops / costPerElement(kernel.group), 1.0));
  int64_t turns = columns / step;
  int64_t turnsPerTile =
      std::max<int64_t>(tileElements / (step * rowsAtOnce), 1);
  int64_t columnTiles =
      std::max<int64_t>(llvm::divideCeilSigned(turns, turnsPerTile), 1);
  int64_t blocks = llvm::divideCeilSigned(rows, rowsAtOnce);
  int64_t blocksPerTile =
      columnTiles > 1 ? 1
                      : std::clamp<int64_t>(
                            tileElements / (columns * rowsAtOnce), 1, blocks);
  const ColumnTile tile{kernel.tile(0, columnTiles), columnTiles,
                        llvm::divideCeilSigned(turns, columnTiles)};
  Index rowTile = kernel.tile(1, llvm::divideCeilSigned(blocks, blocksPerTile));
  forSome(rowTile * blocksPerTile, blocksPerTile, blocks,
          [&](Index block) { emitBlock(block, tile); });
}

/// Of rows that lie apart, the same columns one after the other: what is read
/// for one of them is in cache for the next.
void LoopNest::emitBlock(const Index &block, const ColumnTile &tile) {
  if (rowsAtOnce == 1) {
    const Position row = rowPosition(block);
    return forColumns(tile, [&](ArrayRef<Index> at) { emitElements(row, at); });
  }
  forColumns(tile, [&](ArrayRef<Index> at) {
    forSome(block * rowsAtOnce, rowsAtOnce, rows,
            [&](Index row) { emitElements(rowPosition(row), at); });
  });
}

/// `first` and the numbers behind it, `count` in all, that are below `all`.
void LoopNest::forSome(const Index &first, int64_t count, int64_t all,
                       function_ref<void(Index)> body) {
  ElementEmitter &emitter = kernel.emitter;
  if (all % count == 0)
    return emitter.loop(0, count, 1, [&](Index i) { body(first + i); });
  Value left = emitter.space.emit(kernel.builder, emitter.location,
                                  first * -1 + Index(all));
  Value end = arith::MinSIOp::create(kernel.builder, emitter.location, left,
                                     emitter.indexConstant(count));
  emitter.loop(emitter.indexConstant(0), end, 0, count, ValueRange(),
               [&](Index i, ValueRange) {
                 body(first + i);
                 return SmallVector<Value>();
               });
}

Position LoopNest::rowPosition(const Index &row) {
  SmallVector<int64_t> sizes(shape.drop_back(shape.empty() ? 0 : 1));
  if (!crossed)
    return kernel.emitter.split(row, sizes);
  const int64_t last = sizes[*crossed];
  sizes.erase(sizes.begin() + *crossed);
  sizes.push_back(last);
  Position position = kernel.emitter.split(row, sizes);
  const Index index = position.pop_back_val();
  position.insert(position.begin() + *crossed, index);
  return position;
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

void LoopNest::forColumns(const ColumnTile &tile, ColumnsBody body) {
  ElementEmitter &emitter = kernel.emitter;
  OpBuilder &b = kernel.builder;
  Location loc = emitter.location;
  int64_t turns = columns / step;
  auto turn = [&](const Index &t) {
    SmallVector<Index, 0> at;
    for (int64_t u = 0; u < step; u += lanes)
      at.push_back(t * step + emitter.space.lane() + Index(u));
    body(at);
    forbidUnrolling(b);
  };
  if (tile.count == 1) {
    emitter.loop(0, turns, 1, turn);
    return forTail(body);
  }
  Value low = emitter.space.emit(b, loc, tile.tile * tile.turns);
  Value end =
      emitter.space.emit(b, loc, tile.tile * tile.turns + Index(tile.turns));
  Value high =
      arith::MinSIOp::create(b, loc, end, emitter.indexConstant(turns));
  emitter.loop(low, high, 0, turns, ValueRange(), [&](Index t, ValueRange) {
    turn(t);
    return SmallVector<Value>();
  });
  if (columns % step == 0)
    return;
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       emitter.space.emit(b, loc, tile.tile),
                                       emitter.indexConstant(tile.count - 1));
  emitter.branch(isLast, [&] { forTail(body); });
}

/// What is left of a row after whole turns: single vectors, then elements.
void LoopNest::forTail(ColumnsBody body) {
  ElementEmitter &emitter = kernel.emitter;
  int64_t done = columns / step * step;
  int64_t vectors = (columns - done) / lanes;
  emitter.loop(0, vectors, 1, [&](Index v) {
    body(v * lanes + emitter.space.lane() + Index(done));
  });
  emitter.loop(done + vectors * lanes, columns, 1,
               [&](Index column) { body(column); });
}

LaunchShape emitLoopKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                           const Level &level) {
  if (!group.getBody().getOps<ir::StatisticsOp>().empty())
    return emitWatchedLoopKernel(module, group, symbol, level);
  const int64_t widest = widestElementBits(group, 8);
  int64_t lanes = level.vectorBytes * 8 / widest;
  // Squares as wide as a line of memory are read and written in whole lines.
  if (std::optional<int64_t> dim = crossedDim(group)) {
    const int64_t line = kLineBytes * 8 / widest;
    LoopNest nest(module, group, symbol, level, lanes, /*step=*/line);
    nest.readAcross(*dim, line);
    nest.emit();
    return nest.kernel.launch;
  }
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
