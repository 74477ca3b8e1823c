// SPDX-License-Identifier: Apache-2.0
// Strategy "product": matrix products and convolutions with a packed right
// operand. A tile of pixels by two vectors of output features is summed in
// registers; what follows elementwise is applied before the store.

#include "Product.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Packing.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cpu {

namespace {
/// Where a row of pixels is: the leading part of positions in input and result.
struct Row {
  Position lead;    ///< Batch dimensions, or the image.
  Position spatial; ///< Outer spatial position in the result.
  Index group;
};

class ProductEmitter {
public:
  ProductEmitter(KernelFunction &kernel, const Product &product,
                 const ProductPlan &plan)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), product(product), plan(plan),
        accumulator(
            ir::accumulatorType(ir::tensorOf(product.result).getElementType())),
        packedMemory(kernel.inputMemory(
            cast<BlockArgument>(product.packed).getArgNumber())) {}
  void emit();

private:
  void emitPanelBlock(const Index &block, const Index &units,
                      const Index &group);
  void emitPanel(const Index &panel, int64_t valid, const Index &units,
                 const Index &group);
  void emitTiles(const Index &panel, int64_t valid, const Row &row, Value first,
                 Value end);
  void emitTile(const Index &panel, int64_t valid, const Row &row,
                const Index &pixel, const TileClass &tile);
  SmallVector<Value> emitInnerTaps(const Index &tap, const Position &from,
                                   const Index &panel, const Row &row,
                                   const Index &pixel, const TileClass &tile,
                                   ValueRange sums);
  SmallVector<Value> emitDepth(const Index &tap, const Index &panel,
                               const Row &row, ArrayRef<int64_t> pixels,
                               function_ref<Position(int64_t)> inputSpatial,
                               ValueRange sums);
  void prefetchOperands(const Index &panel, const Row &row, const Index &pixel,
                        int64_t height);
  SmallVector<Value> startSums(const Index &panel, int64_t valid,
                               const Row &row, const Index &pixel,
                               int64_t height);
  void storeSums(const Index &panel, int64_t valid, const Row &row,
                 const Index &pixel, int64_t height, ValueRange sums);
  void storeFinal(const Position &at, Value sum);

  Row rowAt(const Index &row, const Index &group);
  Position outputAt(const Row &row, const Index &pixel,
                    const Index &column) const;
  /// For each vector of a tile that holds `valid` columns: calls `body` with
  /// the pixel, the vector and its output position, lanes beyond `valid`
  /// inactive.
  void forEachVector(const Index &panel, int64_t valid, const Row &row,
                     const Index &pixel, int64_t height,
                     function_ref<void(size_t, const Position &)> body);
  /// for unit in [first, end) clipped to [low, high) of known bounds.
  void clippedLoop(Value first, Value end, int64_t low, int64_t high,
                   function_ref<void(Index)> body);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  const Product &product;
  const ProductPlan &plan;
  Type accumulator;
  Value packedMemory;
  int64_t vectors = 0; ///< Of the current panel.
  int64_t chunk = 0;   ///< The part of the depth being summed.
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops over panels, rows and tiles
//===----------------------------------------------------------------------===//

void ProductEmitter::emit() {
  // Panels pass by while a block of the input stays near; whoever made a part
  // of the input gets the blocks that read it.
  Index panels = kernel.tile(0, plan.panelBlocks);
  Index units = kernel.tile(1, plan.unitBlocks);
  Index group = kernel.tile(2, product.groups);
  for (chunk = 0; chunk < plan.chunks; ++chunk)
    emitPanelBlock(panels, units, group);
}

/// min(value, bound), unless ranges settle it.
static Value clampBelow(ElementEmitter &emitter, const Index &value,
                        int64_t bound) {
  Value emitted = emitter.space.emit(emitter.builder, emitter.location, value);
  if (emitter.space.range(value).second <= bound)
    return emitted;
  return arith::MinSIOp::create(emitter.builder, emitter.location, emitted,
                                emitter.indexConstant(bound));
}

void ProductEmitter::clippedLoop(Value first, Value end, int64_t low,
                                 int64_t high, function_ref<void(Index)> body) {
  Value from =
      arith::MaxSIOp::create(b, loc, first, emitter.indexConstant(low));
  Value to = arith::MinSIOp::create(b, loc, end, emitter.indexConstant(high));
  emitter.loop(from, to, low, high, ValueRange(), [&](Index i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

void ProductEmitter::emitPanelBlock(const Index &block, const Index &units,
                                    const Index &group) {
  int64_t full = product.columns / plan.width,
          rest = product.columns % plan.width;
  Index first = block * plan.panelsPerBlock;
  auto body = [&](int64_t valid) {
    return [&, valid](Index panel) { emitPanel(panel, valid, units, group); };
  };
  if (plan.panelBlocks == 1) {
    emitter.loop(0, full, 1, body(plan.width));
    if (rest)
      emitPanel(Index(full), rest, units, group);
    return;
  }
  Value low = emitter.space.emit(b, loc, first);
  Value high = emitter.space.emit(b, loc, first + Index(plan.panelsPerBlock));
  if (full)
    clippedLoop(low, high, 0, full, body(plan.width));
  if (rest)
    clippedLoop(low, high, full, full + 1, body(rest));
}

void ProductEmitter::emitPanel(const Index &panel, int64_t valid,
                               const Index &units, const Index &group) {
  vectors = llvm::divideCeilSigned(valid, plan.lanes);
  Index first = units * plan.unitsPerBlock;
  int64_t total = plan.blocksRows ? product.rows : plan.tilesPerRow;
  Value low = emitter.space.emit(b, loc, first);
  Value high = clampBelow(emitter, first + Index(plan.unitsPerBlock), total);
  if (!plan.blocksRows)
    return emitTiles(panel, valid, rowAt(Index(0), group), low, high);
  clippedLoop(low, high, 0, total, [&](Index row) {
    emitTiles(panel, valid, rowAt(row, group), {}, {});
  });
}

void ProductEmitter::emitTiles(const Index &panel, int64_t valid,
                               const Row &row, Value first, Value end) {
  for (const TileClass &tile : plan.classes) {
    auto body = [&](Index number) {
      ElementEmitter::Scope scope(emitter);
      Index pixel = number * tile.height +
                    Index(tile.firstPixel - tile.firstTile * tile.height);
      emitTile(panel, valid, row, pixel, tile);
    };
    if (first)
      clippedLoop(first, end, tile.firstTile, tile.firstTile + tile.tiles,
                  body);
    else
      emitter.loop(tile.firstTile, tile.firstTile + tile.tiles, 1, body);
  }
}

Row ProductEmitter::rowAt(const Index &row, const Index &group) {
  Row result;
  result.group = group;
  auto split = [&](Index index, ArrayRef<int64_t> sizes) {
    Position position(sizes.size());
    for (size_t dim = sizes.size(); dim-- > 0;) {
      Index quotient = index;
      if (dim == 0)
        position[0] = index;
      else
        emitter.space.divide(b, loc, index, sizes[dim], quotient,
                             position[dim]);
      index = quotient;
    }
    return position;
  };
  if (!product.isConv) {
    auto shape = ir::tensorOf(product.input).getShape();
    result.lead = split(product.groups > 1 ? group : row, shape.drop_back(2));
    return result;
  }
  SmallVector<int64_t> sizes{0};
  llvm::append_range(sizes, ArrayRef(product.outSpatial).drop_back());
  Position position = split(row, sizes);
  result.lead = {position[0]};
  result.spatial.assign(position.begin() + 1, position.end());
  return result;
}

Position ProductEmitter::outputAt(const Row &row, const Index &pixel,
                                  const Index &column) const {
  Position at = row.lead;
  at.append(row.spatial);
  at.push_back(pixel);
  at.push_back(product.isConv ? row.group * product.columns + column : column);
  return at;
}

//===----------------------------------------------------------------------===//
// One register tile
//===----------------------------------------------------------------------===//

void ProductEmitter::emitTile(const Index &panel, int64_t valid, const Row &row,
                              const Index &pixel, const TileClass &tile) {
  if (chunk + 1 == plan.chunks)
    prefetchOperands(panel, row, pixel, tile.height);
  SmallVector<Value> sums = startSums(panel, valid, row, pixel, tile.height);
  // All window dimensions but the innermost, whose borders are known.
  ArrayRef<int64_t> outer =
      ArrayRef(product.spatial).drop_back(product.isConv ? 1 : 0);
  sums = windowLoops(
      emitter,
      {product.window, product.strides, product.low, {}, product.dilations},
      outer, row.spatial, sums,
      [&](const Position &window, const Position &from, ValueRange inner) {
        Index tap;
        for (auto [dim, k] : llvm::enumerate(window))
          tap = (tap + k) * product.window[dim + 1];
        return emitInnerTaps(tap, from, panel, row, pixel, tile, inner);
      });
  storeSums(panel, valid, row, pixel, tile.height, sums);
}

SmallVector<Value> ProductEmitter::emitInnerTaps(
    const Index &tap, const Position &from, const Index &panel, const Row &row,
    const Index &pixel, const TileClass &tile, ValueRange sums) {
  if (!product.isConv) {
    const TileClass::Segment &all = tile.segments.front();
    return emitDepth(
        tap, panel, row, all.pixels,
        [&](int64_t i) { return Position{pixel + Index(i)}; }, sums);
  }
  SmallVector<Value> current(sums);
  for (const TileClass::Segment &segment : tile.segments) {
    if (segment.pixels.empty())
      continue;
    current = emitter.loop(
        segment.first, segment.end, 1, current, [&](Index k, ValueRange inner) {
          auto spatial = [&](int64_t i) {
            Position at = from;
            at.push_back((pixel + Index(i)) * product.strides.back() +
                         k * product.dilations.back() - product.low.back());
            return at;
          };
          return emitDepth(tap + k, panel, row, segment.pixels, spatial, inner);
        });
  }
  return current;
}

SmallVector<Value>
ProductEmitter::emitDepth(const Index &tap, const Index &panel, const Row &row,
                          ArrayRef<int64_t> pixels,
                          function_ref<Position(int64_t)> inputSpatial,
                          ValueRange sums) {
  int64_t taps = product.taps();
  Index base = ((row.group * plan.panels + panel) * taps + tap) *
               (product.depth * plan.width);
  int64_t low = chunk * plan.chunkDepth;
  int64_t high = std::min(low + plan.chunkDepth, product.depth);
  return emitter.loop(low, high, 1, sums, [&](Index k, ValueRange inner) {
    SmallVector<Value> next(inner);
    SmallVector<Value> weights;
    for (int64_t v = 0; v < vectors; ++v)
      weights.push_back(emitter.load(packedMemory, accumulator,
                                     base + k * plan.width +
                                         emitter.space.lane() +
                                         Index(v * plan.lanes)));
    for (int64_t i : pixels) {
      Position at = row.lead;
      at.append(inputSpatial(i));
      at.push_back(product.isConv ? row.group * product.depth + k : k);
      Value x = emitter.broadcast(emitter.element(product.input, at));
      for (int64_t v = 0; v < vectors; ++v)
        next[i * vectors + v] =
            emitFma(b, loc, x, weights[v], next[i * vectors + v]);
    }
    return next;
  });
}

//===----------------------------------------------------------------------===//
// Sums to results
//===----------------------------------------------------------------------===//

void ProductEmitter::forEachVector(
    const Index &panel, int64_t valid, const Row &row, const Index &pixel,
    int64_t height, function_ref<void(size_t, const Position &)> body) {
  for (int64_t i = 0; i < height; ++i)
    for (int64_t v = 0; v < vectors; ++v) {
      emitter.setActiveLanes(std::min(valid - v * plan.lanes, plan.lanes));
      Index column =
          panel * plan.width + emitter.space.lane() + Index(v * plan.lanes);
      ElementEmitter::Scope scope(emitter);
      body(size_t(i * vectors + v), outputAt(row, pixel + Index(i), column));
      emitter.setActiveLanes(plan.lanes);
    }
}

/// What elementwise ops will read beside the sums comes near while they are
/// summed.
void ProductEmitter::prefetchOperands(const Index &panel, const Row &row,
                                      const Index &pixel, int64_t height) {
  auto type = ir::tensorOf(product.result);
  for (auto [number, input] :
       llvm::enumerate(kernel.group.getBody().getArguments())) {
    auto inputType = ir::tensorOf(input);
    if (input == product.packed || input == product.input ||
        inputType.getShape() != type.getShape())
      continue;
    Value memory = kernel.inputMemory(unsigned(number));
    for (int64_t i = 0; i < height; ++i)
      for (int64_t v = 0; v < vectors; ++v) {
        Position at = outputAt(row, pixel + Index(i),
                               panel * plan.width + Index(v * plan.lanes));
        Value offset =
            emitter.space.emit(b, loc, linearize(at, type.getShape()));
        memref::PrefetchOp::create(b, loc, memory, offset, /*isWrite=*/false,
                                   /*localityHint=*/3, /*isDataCache=*/true);
      }
  }
}

/// Where result `value`, transposes of something shaped like the product, has
/// the element that the product has at `at`.
static Position throughTransposes(Value value, const Position &at) {
  auto transpose = value.getDefiningOp<ir::TransposeOp>();
  if (!transpose)
    return at;
  Position inner = throughTransposes(transpose.getInput(), at), outer;
  for (int64_t dim : transpose.getPermutation())
    outer.push_back(inner[dim]);
  return outer;
}

SmallVector<Value> ProductEmitter::startSums(const Index &panel, int64_t valid,
                                             const Row &row, const Index &pixel,
                                             int64_t height) {
  if (chunk == 0) {
    Value zero = emitter.broadcast(emitter.constant(accumulator, 0));
    return SmallVector<Value>(size_t(height * vectors), zero);
  }
  // The sum so far lies where the result will.
  SmallVector<Value> sums;
  Value result = kernel.result(0);
  forEachVector(panel, valid, row, pixel, height,
                [&](size_t, const Position &at) {
                  Index offset = linearize(throughTransposes(result, at),
                                           ir::tensorOf(result).getShape());
                  sums.push_back(emitter.load(kernel.resultMemory(0),
                                              accumulator, offset));
                });
  return sums;
}

void ProductEmitter::storeSums(const Index &panel, int64_t valid,
                               const Row &row, const Index &pixel,
                               int64_t height, ValueRange sums) {
  forEachVector(
      panel, valid, row, pixel, height, [&](size_t i, const Position &at) {
        if (chunk + 1 == plan.chunks)
          return storeFinal(at, sums[i]);
        kernel.storeResult(0, sums[i], throughTransposes(kernel.result(0), at));
      });
}

void ProductEmitter::storeFinal(const Position &at, Value sum) {
  Type element = ir::tensorOf(product.result).getElementType();
  emitter.define(product.result, at, emitter.round(sum, element));
  for (unsigned i = 0; i < kernel.numResults(); ++i) {
    Position position = throughTransposes(kernel.result(i), at);
    kernel.storeResult(i, emitter.vectorElement(kernel.result(i), position),
                       position);
  }
}

LaunchShape emitProductKernel(ModuleOp module, ir::GroupOp group,
                              StringRef symbol, const Level &level) {
  Operation *op = nullptr;
  for (Operation &candidate : group.getBody().front())
    if (isa<ir::PackedMatmulOp, ir::PackedConvOp>(candidate))
      op = &candidate;
  Product product = Product::of(op);
  Type element = ir::tensorOf(product.result).getElementType();
  Type accumulator = ir::accumulatorType(element);
  // Partial sums wait where the result will be.
  auto keepsSums = [&](Type result) {
    return cast<RankedTensorType>(result).getElementType() == accumulator;
  };
  ProductPlan plan(product, level, accumulator,
                   /*mayChunk=*/group->getNumResults() == 1 &&
                       accumulator == element &&
                       keepsSums(group->getResult(0).getType()));
  KernelFunction kernel(module, group, symbol, level, plan.lanes);
  ProductEmitter(kernel, product, plan).emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
