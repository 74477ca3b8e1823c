// SPDX-License-Identifier: Apache-2.0
// A packed product as the strategies see it, and how its work is cut.

#ifndef SMP_CODEGEN_CPU_PRODUCT_H
#define SMP_CODEGEN_CPU_PRODUCT_H

#include "smp/codegen/cpu/Level.h"
#include "smp/ir/Smp.h"

namespace smp::codegen::cpu {

/// Vectors per panel of packed columns. Two by a tile's height keep enough sums
/// in flight to hide the latency of multiply-add.
inline constexpr int64_t kPanelVectors = 2;

/// A product as rows of pixels: a matrix product has one row per batch element,
/// whose pixels are the matrix's rows; a convolution has one row per image and
/// outer spatial position. The packed operand is [group][panel][window
/// position] [depth][panel width], zeros beyond the last column.
struct Product {
  static Product of(mlir::Operation *op);

  mlir::Value result, input, packed;
  bool isConv = false;
  int64_t groups = 1;  ///< Products with packed operands of their own.
  int64_t rows = 1;    ///< Rows of pixels per group.
  int64_t pixels = 1;  ///< Per row.
  int64_t columns = 1; ///< Output features per group.
  int64_t depth = 1;   ///< Input features per group and window position.
  /// Per spatial dimension, for convolutions; empty else.
  llvm::SmallVector<int64_t> window, strides, low, dilations, spatial,
      outSpatial;

  int64_t taps() const;
  /// Input pixels that a further row of the result reads.
  int64_t inputPixels() const;
};

/// Neighbouring register tiles of a row that need the same code.
struct TileClass {
  int64_t firstPixel; ///< In the row.
  int64_t tiles;      ///< How many.
  int64_t firstTile;  ///< Number of the first within the row.
  int64_t height;     ///< Pixels per tile.
  /// A run of innermost window positions, and the pixels of the tile that are
  /// inside the input there.
  struct Segment {
    int64_t first, end;
    llvm::SmallVector<int64_t> pixels;
    bool operator==(const Segment &) const = default;
  };
  llvm::SmallVector<Segment> segments;
};

/// Cuts a row's pixels into register tiles of at most `height`, as even as can
/// be.
llvm::SmallVector<TileClass> classifyTiles(const Product &product,
                                           int64_t height);

/// How a product's work is cut for one level.
struct ProductPlan {
  ProductPlan(const Product &product, const Level &level,
              mlir::Type accumulator, bool mayChunk);

  int64_t lanes, width; ///< Elements per vector and per panel.
  int64_t panels;       ///< Per group.
  llvm::SmallVector<TileClass> classes;
  int64_t tilesPerRow = 0;
  /// Launch tiles: blocks of rows (of register tiles when there is one row),
  /// then blocks of panels.
  bool blocksRows;
  int64_t unitsPerBlock, unitBlocks, panelsPerBlock, panelBlocks;
  int64_t chunks, chunkDepth; ///< Parts of the depth, one after the other.
};

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_PRODUCT_H
