// SPDX-License-Identifier: Apache-2.0
#include "Product.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Window.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cpu {

using ir::tensorOf;

static Product ofMatmul(ir::PackedMatmulOp op) {
  Product product;
  ArrayRef<int64_t> lhs = tensorOf(op.getLhs()).getShape();
  product.result = op.getResult();
  product.input = op.getLhs();
  product.packed = op.getPacked();
  for (int64_t size : lhs.drop_back(2))
    (op.getShared() ? product.rows : product.groups) *= size;
  product.pixels = lhs[lhs.size() - 2];
  product.depth = lhs.back();
  product.columns = op.getColumns();
  return product;
}

/// What all convolutions say alike.
template <typename Op>
static Product ofWindowed(Op op) {
  Product product;
  ir::ActivationDims in(tensorOf(op.getInput()), ir::Layout::ChannelsLast);
  ir::ActivationDims out(tensorOf(op.getResult()), ir::Layout::ChannelsLast);
  product.result = op.getResult();
  product.input = op.getInput();
  product.isConv = true;
  product.rows = out.batch;
  for (int64_t size : ArrayRef(out.spatial).drop_back())
    product.rows *= size;
  product.pixels = out.spatial.back();
  product.strides = llvm::to_vector(op.getStrides());
  product.low = llvm::to_vector(op.getLow());
  product.dilations = llvm::to_vector(op.getDilations());
  product.spatial = in.spatial;
  product.outSpatial = out.spatial;
  return product;
}

static Product ofConv(ir::PackedConvOp op) {
  Product product = ofWindowed(op);
  product.packed = op.getPacked();
  product.groups = op.getGroups();
  product.columns = op.getFeatures() / op.getGroups();
  product.depth = tensorOf(op.getInput()).getShape().back() / op.getGroups();
  product.window = llvm::to_vector(op.getWindow());
  return product;
}

static Product ofDepthwise(ir::DepthwiseConvOp op) {
  Product product = ofWindowed(op);
  product.packed = op.getFilter();
  product.columns = tensorOf(op.getFilter()).getShape().back();
  product.window =
      llvm::to_vector(tensorOf(op.getFilter()).getShape().drop_back());
  return product;
}

Product Product::of(Operation *op) {
  return llvm::TypeSwitch<Operation *, Product>(op)
      .Case<ir::PackedMatmulOp>(ofMatmul)
      .Case<ir::PackedConvOp>(ofConv)
      .Case<ir::DepthwiseConvOp>(ofDepthwise);
}

int64_t Product::taps() const {
  int64_t count = 1;
  for (int64_t size : window)
    count *= size;
  return count;
}

int64_t Product::inputPixels() const {
  if (!isConv)
    return pixels;
  // A row of the result moves on by the stride of the dimension before the
  // last.
  return spatial.back() *
         (strides.size() > 1 ? strides[strides.size() - 2] : 1);
}

/// Which of a tile's pixels are inside the input at each innermost window
/// position, as runs of equal positions.
static SmallVector<TileClass::Segment>
segmentsAt(const Product &product, int64_t pixel, int64_t height) {
  SmallVector<TileClass::Segment> segments;
  int64_t kernel = product.isConv ? product.window.back() : 1;
  for (int64_t k = 0; k < kernel; ++k) {
    SmallVector<int64_t> inside;
    for (int64_t i = 0; i < height; ++i) {
      if (product.isConv) {
        int64_t at = (pixel + i) * product.strides.back() +
                     k * product.dilations.back() - product.low.back();
        if (at < 0 || at >= product.spatial.back())
          continue;
      }
      inside.push_back(i);
    }
    if (!segments.empty() && segments.back().pixels == inside)
      segments.back().end = k + 1;
    else
      segments.push_back({k, k + 1, inside});
  }
  return segments;
}

SmallVector<TileClass> classifyTiles(const Product &product, int64_t height) {
  SmallVector<TileClass> classes;
  int64_t tilesPerRow = llvm::divideCeilSigned(product.pixels, height);
  int64_t base = product.pixels / tilesPerRow,
          larger = product.pixels % tilesPerRow;
  int64_t pixel = 0;
  for (int64_t tile = 0; tile < tilesPerRow; ++tile) {
    int64_t size = base + (tile < larger);
    auto segments = segmentsAt(product, pixel, size);
    if (!classes.empty() && classes.back().height == size &&
        classes.back().segments == segments)
      ++classes.back().tiles;
    else
      classes.push_back({pixel, 1, tile, size, segments});
    pixel += size;
  }
  return classes;
}

ProductPlan::ProductPlan(const Product &product, const Level &level,
                         Type accumulator, bool mayChunk) {
  lanes = level.lanes(accumulator);
  width = lanes * kPanelVectors;
  panels = llvm::divideCeilSigned(product.columns, width);
  // Sums, a panel row and a broadcast must fit the registers; more than eight
  // rows at a power-of-two distance evict each other from the first-level
  // cache.
  int64_t height = level.vectorRegisters == 32 ? 8 : 6;
  classes = classifyTiles(product, height);
  for (const TileClass &tile : classes)
    tilesPerRow += tile.tiles;

  // Bytes of input that stay in the second-level cache while panels pass by.
  constexpr int64_t kInputBlockBytes = 384 << 10;
  int64_t elementBytes = accumulator.getIntOrFloatBitWidth() / 8;
  int64_t depthBytes = product.depth * elementBytes;
  chunks = 1;
  blocksRows = product.rows > 1;
  int64_t unitBytes, units;
  if (blocksRows) {
    units = product.rows;
    unitBytes = product.inputPixels() * product.groups * depthBytes;
  } else {
    units = tilesPerRow;
    unitBytes = classes.front().height * depthBytes;
    // A deep product is summed in parts, so that a panel's part and enough rows
    // of the input stay near.
    constexpr int64_t kDeepest = 1024;
    if (mayChunk && product.taps() == 1 && product.depth > kDeepest &&
        units * unitBytes > kInputBlockBytes)
      chunks = llvm::divideCeilSigned(product.depth, kDeepest);
    unitBytes = llvm::divideCeilSigned(unitBytes, chunks);
  }
  chunkDepth = llvm::divideCeilSigned(product.depth, chunks);
  int64_t perBlock = std::clamp<int64_t>(
      kInputBlockBytes / std::max<int64_t>(unitBytes, 1), 1, units);
  unitBlocks = llvm::divideCeilSigned(units, perBlock);

  constexpr double kTileFlops = 2e6; // Worth a call.
  double unitFlops = 2.0 * double(product.pixels) * double(product.rows) /
                     double(units) * double(width) * double(product.depth) *
                     double(product.taps());
  // A block of rows for each of many threads, so that a thread reads what it
  // wrote; with enough pixels to make good for reading the panels again.
  constexpr int64_t kManyBlocks = 16, kFewPixels = 64;
  int64_t worthwhile =
      std::min(int64_t(unitFlops * double(units * panels) / kTileFlops),
               product.rows * product.pixels / kFewPixels);
  unitBlocks =
      std::max(unitBlocks,
               std::min({units, worthwhile,
                         llvm::divideCeilSigned(kManyBlocks, product.groups)}));

  // Enough launch tiles to keep threads busy to the end.
  constexpr int64_t kEnoughTiles = 16;
  auto tiles = [&] { return unitBlocks * panels * product.groups; };
  while (tiles() < kEnoughTiles && unitBlocks < units &&
         unitFlops * double(llvm::divideCeilSigned(units, unitBlocks)) >
             2 * kTileFlops)
    unitBlocks = std::min(units, unitBlocks * 2);
  unitsPerBlock = llvm::divideCeilSigned(units, unitBlocks);
  unitBlocks = llvm::divideCeilSigned(units, unitsPerBlock);
  double panelFlops = unitFlops * double(unitsPerBlock);
  panelsPerBlock =
      std::clamp<int64_t>(int64_t(kTileFlops / panelFlops), 1, panels);
  panelsPerBlock = std::max(panelsPerBlock, std::min(panels, tiles() / 64));
  panelBlocks = llvm::divideCeilSigned(panels, panelsPerBlock);
}

} // namespace smp::codegen::cpu
