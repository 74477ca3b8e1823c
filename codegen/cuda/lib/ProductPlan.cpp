// SPDX-License-Identifier: Apache-2.0
#include "ProductPlan.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

/// Blocks that are many, so that the GPU is full.
static constexpr int64_t kMany = 96;
/// The least depth of a part, and what its depth is a multiple of: steps of
/// every tile.
static constexpr int64_t kLeastPart = 256, kPartUnit = 16;

static Type elementOf(const Product &product) {
  return ir::tensorOf(product.result).getElementType();
}

static int64_t countTiles(const Product &product, const Tile &tile) {
  return product.batches() *
         llvm::divideCeilSigned(product.rows.extent, tile.size) *
         llvm::divideCeilSigned(product.columns.extent, tile.size);
}

/// The greatest tile of which there are many, none of them half empty.
static Tile tileOf(const Product &product) {
  Type element = elementOf(product);
  // A step of the great one is an access of 16 bytes by each thread and side.
  const int64_t step = computeType(element) == element ? 8 : 16;
  const Tile great{128, 8, step}, middle{64, 4, 16}, small{32, 4, step};
  // Other types than f32 leave no registers for edges and for guards.
  const int64_t rows = product.rows.extent, columns = product.columns.extent;
  auto hasRegisters = [&](const Tile &tile) {
    return element.isF32() ||
           (rows % tile.size == 0 && columns % tile.size == 0 &&
            !product.rows.hasHoles && !product.columns.hasHoles);
  };
  auto isWorth = [&](const Tile &tile) {
    return hasRegisters(tile) && 2 * std::min(rows, columns) > tile.size &&
           countTiles(product, tile) >= kMany;
  };
  // 64 sums of 64 bits would not fit.
  if (!element.isF64() && isWorth(great))
    return great;
  return isWorth(middle) ? middle : small;
}

/// Others would leave most of a tile empty: so convolutions of a channel or few
/// by filters of their own stay with a thread per result, which reads a window
/// that its neighbours read too. A matrix by a vector is worth an empty tile
/// where neighbouring threads would read what is far apart.
static bool isWorthTiles(const Product &product) {
  constexpr int64_t kLeast = 16;
  const ProductSide &rows = product.rows, &columns = product.columns;
  if (!isa<FloatType>(elementOf(product)) || product.depth < kLeast)
    return false;
  if (std::min(rows.extent, columns.extent) >= kLeast)
    return true;
  const ProductSide &longer = rows.extent > columns.extent ? rows : columns;
  return isa<ir::DotGeneralOp>(product.result.getDefiningOp()) &&
         longer.extent >= 2 * kLeast && longer.runsAlongDepth &&
         longer.run % 8 == 0;
}

ProductPlan planOf(const Product &product) {
  ProductPlan plan{isWorthTiles(product), tileOf(product), 1, product.depth};
  const int64_t results =
      product.batches() * product.rows.extent * product.columns.extent;
  if (!isa<FloatType>(elementOf(product)) || results == 0)
    return plan;
  constexpr int64_t kBlockThreads = 128;
  const int64_t blocks = plan.isTiled
                             ? countTiles(product, plan.tile)
                             : llvm::divideCeilSigned(results, kBlockThreads);
  const int64_t parts = std::min(kMany / blocks, product.depth / kLeastPart);
  if (parts < 2)
    return plan;
  plan.partDepth =
      llvm::divideCeilSigned(llvm::divideCeilSigned(product.depth, parts),
                             kPartUnit) *
      kPartUnit;
  plan.parts = llvm::divideCeilSigned(product.depth, plan.partDepth);
  return plan;
}

} // namespace smp::codegen::cuda
