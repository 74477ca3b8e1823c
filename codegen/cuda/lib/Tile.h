// SPDX-License-Identifier: Apache-2.0
// One operand's part of a tile of products: from global memory through shared
// memory, where two steps of the depth lie, into registers.

#ifndef SMP_CODEGEN_CUDA_LIB_TILE_H
#define SMP_CODEGEN_CUDA_LIB_TILE_H

#include "KernelFunction.h"
#include "Product.h"

namespace smp::codegen::cuda {

/// The results that a block makes, `size` in each direction, of which a thread
/// sums `each` by `each`, and the depth of a step.
struct Tile {
  int64_t size, each, depth;

  /// Threads of a warp in a direction. Eight that are side by side read 128
  /// bytes of shared memory at once, all others what some of them read.
  static constexpr int64_t kRowLanes = 4, kColumnLanes = 8;
  int64_t warps(int64_t lanes) const { return size / (each * lanes); }
  int64_t threads() const {
    return warps(kRowLanes) * warps(kColumnLanes) * kWarpThreads;
  }
};

/// Shared memory holds words by depth: elements as they are summed, or of
/// 16-bit floats in memory two that are neighbours in depth, as they are. A
/// thread's values on the side are in runs of as many words as are accessed at
/// once.
class TileSide {
public:
  /// `sum`: the type of sums.
  TileSide(KernelFunction &kernel, const ProductSide &side, const Tile &tile,
           mlir::Type sum, int64_t depth, const Index &thread);
  /// Says which part of the tile is this thread's: it is number `lane` of
  /// `lanes` in warp number `warp` on this side.
  void setPlace(const Index &warp, const Index &lane, int64_t lanes);

  /// Reads the thread's part of the step that begins at depth `from`.
  llvm::SmallVector<mlir::Value> fetch(const Position &batch,
                                       const Index &from) const;
  /// Writes it to shared memory, as step 0 or 1 of those there.
  void put(mlir::ValueRange values, const Index &step) const;
  /// What the thread multiplies at depth `k` of a step: Tile::each values.
  llvm::SmallVector<mlir::Value> take(const Index &step, int64_t k) const;
  /// Whether each of them exists.
  llvm::SmallVector<mlir::Value> exist(const Index &step, int64_t k) const;

  /// Where on the side run number `i` of the thread begins.
  Index runAt(int64_t i) const { return first + runs + Index(i * stride); }

  const ProductSide &side;
  Index first; ///< What of its extent the tile begins with.

private:
  /// An access of global memory: the first element's place in a step, on the
  /// side and by depth in words.
  struct Access {
    Index own, word;
  };
  bool isPacked() const { return word != sum; }
  int64_t perWord() const { return isPacked() ? 2 : 1; }
  int64_t words() const { return tile.depth / perWord(); }
  mlir::Value read(const Access &access, const Position &batch,
                   const Index &from) const;
  mlir::Value readStored(const Index &own, const Index &k,
                         const Position &batch) const;
  mlir::Value load(const Position &at) const;
  mlir::Value hole(mlir::Type type) const;
  mlir::Value keptFromHoles(mlir::Value value) const;
  mlir::Value isUsed() const;
  void putWords(mlir::Value value, const Index &place) const;
  Index placeOf(const Index &step, const Index &word, const Index &own) const;
  llvm::SmallVector<mlir::Value> takeStored(const Index &step, int64_t k) const;

  KernelFunction &kernel;
  ElementEmitter &emitter;
  const Tile &tile;
  const mlir::Type sum;
  mlir::Type element;  ///< As it comes from global memory.
  mlir::Type word;     ///< Of shared memory.
  const int64_t depth; ///< Of the whole product.
  const Index thread;
  int64_t width = 1;    ///< Elements of an access of global memory.
  int64_t accessed = 0; ///< Accesses of a step.
  mlir::Value memory;
  llvm::SmallVector<Access> accesses; ///< Of the thread.
  Index runs;                         ///< Where the thread's first one begins.
  int64_t stride = 0;                 ///< From one run to the next.
};

/// The element of a side that is at `at` of its shape.
mlir::Value elementAt(ElementEmitter &emitter, const ProductSide &side,
                      const Position &at);
/// The conjunction; null of none.
mlir::Value allOf(ElementEmitter &emitter, mlir::ValueRange conditions);
/// Adds `index < bound` unless ranges settle it.
void addBound(ElementEmitter &emitter, const Index &index, int64_t bound,
              ProductSide::Conditions &conditions);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_TILE_H
