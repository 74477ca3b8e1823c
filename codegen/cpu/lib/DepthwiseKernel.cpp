// SPDX-License-Identifier: Apache-2.0
// Strategy "depthwise": each channel convolved by its own filter, channels
// last. A register tile is some pixels of a row by one vector of channels;
// every input vector is loaded once per tile and window row.

#include "Product.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cpu {

namespace {
class DepthwiseEmitter {
public:
  DepthwiseEmitter(KernelFunction &kernel, const Product &product, Type element,
                   int64_t height)
      : kernel(kernel), emitter(kernel.emitter), product(product),
        element(element), classes(classifyTiles(product, height)) {}
  void emit();

private:
  void emitRow(const Index &row);
  void emitChannels(const Position &lead, const Index &pixel,
                    const TileClass &tile, const Index &channel);
  SmallVector<Value> emitTaps(const Position &lead, const Position &window,
                              const Position &from, const Index &pixel,
                              const TileClass &tile, const Index &channel,
                              ValueRange sums);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  const Product &product;
  Type element;
  SmallVector<TileClass> classes;
};
} // namespace

void DepthwiseEmitter::emit() {
  constexpr double kTileFlops = 2e5;
  double rowFlops =
      2.0 * double(product.pixels * product.columns * product.taps());
  int64_t perTile =
      std::clamp<int64_t>(int64_t(kTileFlops / rowFlops), 1, product.rows);
  Index first =
      kernel.tile(0, llvm::divideCeilSigned(product.rows, perTile)) * perTile;
  OpBuilder &b = kernel.builder;
  Value low = emitter.space.emit(b, emitter.location, first);
  Value end = emitter.space.emit(b, emitter.location, first + Index(perTile));
  Value high = arith::MinSIOp::create(b, emitter.location, end,
                                      emitter.indexConstant(product.rows));
  emitter.loop(low, high, 0, product.rows, ValueRange(),
               [&](Index row, ValueRange) {
                 emitRow(row);
                 return SmallVector<Value>();
               });
}

void DepthwiseEmitter::emitRow(const Index &row) {
  // The image, then the outer spatial position.
  ArrayRef<int64_t> outer = ArrayRef(product.outSpatial).drop_back();
  Position lead(outer.size() + 1);
  Index rest = row;
  for (size_t dim = outer.size(); dim-- > 0;) {
    Index quotient;
    emitter.space.divide(kernel.builder, emitter.location, rest, outer[dim],
                         quotient, lead[dim + 1]);
    rest = quotient;
  }
  lead[0] = rest;
  int64_t lanes = emitter.lanes, vectors = product.columns / lanes;
  for (const TileClass &tile : classes)
    emitter.loop(0, tile.tiles, 1, [&](Index number) {
      Index pixel = number * tile.height + Index(tile.firstPixel);
      emitter.loop(0, vectors, 1, [&](Index v) {
        emitChannels(lead, pixel, tile, v * lanes + emitter.space.lane());
      });
      if (int64_t left = product.columns - vectors * lanes) {
        emitter.setActiveLanes(left);
        emitChannels(lead, pixel, tile,
                     emitter.space.lane() + Index(vectors * lanes));
        emitter.setActiveLanes(lanes);
      }
    });
}

void DepthwiseEmitter::emitChannels(const Position &lead, const Index &pixel,
                                    const TileClass &tile,
                                    const Index &channel) {
  ElementEmitter::Scope scope(emitter);
  Value zero = emitter.broadcast(emitter.constant(element, 0));
  SmallVector<Value> sums(size_t(tile.height), zero);
  ArrayRef<Index> outer = ArrayRef(lead).drop_front();
  sums = windowLoops(
      emitter,
      {product.window, product.strides, product.low, {}, product.dilations},
      ArrayRef(product.spatial).drop_back(), outer, sums,
      [&](const Position &window, const Position &from, ValueRange inner) {
        return emitTaps(lead, window, from, pixel, tile, channel, inner);
      });
  for (int64_t i = 0; i < tile.height; ++i) {
    ElementEmitter::Scope scope(emitter);
    Position at = lead;
    at.append({pixel + Index(i), channel});
    emitter.define(product.result, at, emitter.round(sums[i], element));
    for (unsigned r = 0; r < kernel.numResults(); ++r)
      kernel.storeResult(r, emitter.vectorElement(kernel.result(r), at), at);
  }
}

SmallVector<Value>
DepthwiseEmitter::emitTaps(const Position &lead, const Position &window,
                           const Position &from, const Index &pixel,
                           const TileClass &tile, const Index &channel,
                           ValueRange sums) {
  SmallVector<Value> next(sums);
  for (const TileClass::Segment &segment : tile.segments)
    for (int64_t k = segment.first; k < segment.end; ++k) {
      Position filterAt = window;
      filterAt.append({Index(k), channel});
      for (int64_t i : segment.pixels) {
        Position at{lead[0]};
        at.append(from);
        at.append({(pixel + Index(i)) * product.strides.back() +
                       Index(k * product.dilations.back() - product.low.back()),
                   channel});
        Value x = emitter.vectorElement(product.input, at);
        Value w = emitter.vectorElement(product.packed, filterAt);
        next[size_t(i)] =
            emitFma(kernel.builder, emitter.location, x, w, next[size_t(i)]);
      }
    }
  return next;
}

LaunchShape emitDepthwiseKernel(ModuleOp module, ir::GroupOp group,
                                StringRef symbol, const Level &level) {
  auto op = *group.getBody().getOps<ir::DepthwiseConvOp>().begin();
  Product product = Product::of(op);
  Type element = ir::tensorOf(op).getElementType();
  KernelFunction kernel(module, group, symbol, level,
                        level.lanes(computeType(element)));
  int64_t height = level.vectorRegisters == 32 ? 7 : 4;
  DepthwiseEmitter(kernel, product, element, height).emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
