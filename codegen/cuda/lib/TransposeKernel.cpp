// SPDX-License-Identifier: Apache-2.0
// Loops that read an operand along another dimension than they write: by tiles
// through shared memory, so that neighbouring threads read neighbours and write
// neighbours.
//
// The result's dimensions are three parts: those that number the tiles' places,
// those that the operand has last (down), those that the result has last
// (across). A tile is of the latter two: 64 by 64 where there is so much of
// them and room in shared memory, so that a row of it is two lines of memory,
// else 32 by 32.

#include "Strategy.h"
#include "smp/ir/Tensors.h"
#include <set>

using namespace mlir;

namespace smp::codegen::cuda {

using ir::shapeOf;

/// Elements of a tile in each direction, and rows that its threads move at a
/// time.
static constexpr int64_t kTile = 64, kSmallTile = 32, kTileRows = 8;
/// Tiles that a block holds at most, bytes of large ones, and the least that is
/// worth one.
static constexpr size_t kMostTiles = 4;
static constexpr int64_t kMostBytes = 40 * 1024;
static constexpr int64_t kLeast = 16;

namespace {
/// An operand, and which dimension of the result each of its own is; -1: none,
/// it is read at 0.
struct Read {
  BlockArgument operand;
  SmallVector<int64_t> dims;
};

/// What is read across, and how the result's dimensions are parted.
class Crossing {
public:
  explicit Crossing(ir::GroupOp group);

  ArrayRef<int64_t> shape; ///< Of the result.
  SmallVector<Read> reads; ///< None: there is nothing to tile.
  int64_t firstDown = 0, firstAcross = 0;

  ArrayRef<int64_t> places() const { return shape.take_front(firstDown); }
  ArrayRef<int64_t> down() const {
    return shape.slice(size_t(firstDown), size_t(firstAcross - firstDown));
  }
  ArrayRef<int64_t> across() const {
    return shape.drop_front(size_t(firstAcross));
  }

private:
  void visit(Value value, ArrayRef<int64_t> dims);
  void add(const Read &read);
  bool isCrossed(const Read &read) const;

  std::set<std::pair<void *, SmallVector<int64_t>>> seen;
};
} // namespace

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

Crossing::Crossing(ir::GroupOp group) : shape(shapeOf(group->getResult(0))) {
  const SmallVector<int64_t> same =
      llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size())));
  for (Value result : group.getBody().front().getTerminator()->getOperands())
    visit(result, same);
  if (product(down()) < kLeast || product(across()) < kLeast)
    reads.clear();
}

/// `value` is read where its dimensions are `dims` of the result.
void Crossing::visit(Value value, ArrayRef<int64_t> dims) {
  if (auto operand = dyn_cast<BlockArgument>(value))
    return add({operand, llvm::to_vector(dims)});
  Operation *op = value.getDefiningOp();
  if (!seen.insert({value.getAsOpaquePointer(), llvm::to_vector(dims)}).second)
    return;
  if (op->hasTrait<ir::trait::Elementwise>()) {
    for (Value operand : op->getOperands())
      visit(operand, dims);
  } else if (auto transpose = dyn_cast<ir::TransposeOp>(op)) {
    SmallVector<int64_t> from(dims.size());
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      from[dim] = dims[i];
    visit(transpose.getInput(), from);
  } else if (auto broadcast = dyn_cast<ir::BroadcastOp>(op)) {
    SmallVector<int64_t> from;
    for (auto [size, dim] : llvm::zip_equal(shapeOf(broadcast.getInput()),
                                            broadcast.getDimensions()))
      from.push_back(size == 1 ? -1 : dims[dim]);
    visit(broadcast.getInput(), from);
  }
}

/// Whether what follows in the result is far apart in the operand.
bool Crossing::isCrossed(const Read &read) const {
  return !read.dims.empty() && read.dims.back() >= 0 &&
         llvm::any_of(read.dims, [&](int64_t dim) {
           return dim > read.dims.back() && shape[size_t(dim)] > 1;
         });
}

/// The first that is crossed decides how dimensions are parted.
void Crossing::add(const Read &read) {
  const bool isKnown = llvm::any_of(reads, [&](const Read &other) {
    return other.operand == read.operand && other.dims == read.dims;
  });
  if (!isCrossed(read) || isKnown || reads.size() == kMostTiles)
    return;
  const int64_t last = read.dims.back();
  if (!reads.empty() && last + 1 != firstAcross)
    return;
  if (reads.empty()) {
    firstAcross = last + 1;
    firstDown = last;
    for (size_t dim = read.dims.size() - 1;
         dim-- > 0 && firstDown > 0 && read.dims[dim] == firstDown - 1;)
      --firstDown;
  }
  reads.push_back(read);
}

/// A row in shared memory has one more than the tile, so that a column of it is
/// in as many banks.
static int64_t pitchOf(int64_t tile) { return tile + 1; }

static int64_t tileOf(const Crossing &crossing) {
  int64_t bytes = 0;
  for (const Read &read : crossing.reads)
    bytes += kTile * pitchOf(kTile) *
             storageType(ir::elementOf(read.operand)).getIntOrFloatBitWidth() /
             8;
  const bool isLarge =
      product(crossing.down()) >= kTile && product(crossing.across()) >= kTile;
  return isLarge && bytes <= kMostBytes ? kTile : kSmallTile;
}

namespace {
class TransposeEmitter {
public:
  TransposeEmitter(KernelFunction &kernel, const Crossing &crossing)
      : kernel(kernel), emitter(kernel.emitter), crossing(crossing),
        size(tileOf(crossing)), pitch(pitchOf(size)) {}
  void emit();

private:
  /// `body` for the tile's places that are there, whose number in the direction
  /// of `fast` is the thread's: with the place's numbers in the tile, the fast
  /// one first, and its position in the result.
  void forTile(
      bool isDownFast,
      function_ref<void(const Index &, const Index &, const Position &)> body);
  static Position positionOf(const Read &read, const Position &at);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  const Crossing &crossing;
  const int64_t size, pitch;         ///< Of a tile.
  Index lane, row;                   ///< The thread.
  Index place, downTile, acrossTile; ///< The block.
};
} // namespace

void TransposeEmitter::forTile(
    bool isDownFast,
    function_ref<void(const Index &, const Index &, const Position &)> body) {
  emitter.loop(0, size / kTileRows, 1, [&](const Index &turn) {
    const Index slow = turn * kTileRows + row;
    const Index down = downTile * size + (isDownFast ? lane : slow);
    const Index across = acrossTile * size + (isDownFast ? slow : lane);
    kernel.where(down, product(crossing.down()), [&](const Index &down) {
      kernel.where(across, product(crossing.across()),
                   [&](const Index &across) {
                     Position at = emitter.split(place, crossing.places());
                     at.append(emitter.split(down, crossing.down()));
                     at.append(emitter.split(across, crossing.across()));
                     body(lane, slow, at);
                   });
    });
  });
}

Position TransposeEmitter::positionOf(const Read &read, const Position &at) {
  Position position;
  for (int64_t dim : read.dims)
    position.push_back(dim < 0 ? Index(0) : at[size_t(dim)]);
  return position;
}

void TransposeEmitter::emit() {
  OpBuilder &b = kernel.builder;
  const int64_t downTiles = llvm::divideCeil(product(crossing.down()), size);
  const int64_t acrossTiles =
      llvm::divideCeil(product(crossing.across()), size);
  Index tile;
  emitter.space.divide(b, emitter.location, kernel.thread(size * kTileRows),
                       size, row, lane);
  emitter.space.divide(
      b, emitter.location,
      kernel.block(0, product(crossing.places()) * downTiles * acrossTiles),
      acrossTiles, tile, acrossTile);
  emitter.space.divide(b, emitter.location, tile, downTiles, place, downTile);
  SmallVector<Value> tiles;
  for (const Read &read : crossing.reads)
    tiles.push_back(
        kernel.shared(storageType(ir::elementOf(read.operand)), size * pitch));
  forTile(/*isDownFast=*/true, [&](const Index &down, const Index &across,
                                   const Position &at) {
    for (auto [read, tile] : llvm::zip_equal(crossing.reads, tiles))
      emitter.store(emitter.element(read.operand, positionOf(read, at)), tile,
                    ir::elementOf(read.operand), across * pitch + down);
  });
  kernel.barrier();
  forTile(/*isDownFast=*/false,
          [&](const Index &across, const Index &down, const Position &at) {
            for (auto [read, tile] : llvm::zip_equal(crossing.reads, tiles))
              emitter.define(read.operand, positionOf(read, at),
                             emitter.load(tile, ir::elementOf(read.operand),
                                          across * pitch + down));
            storeElements(kernel, at);
          });
}

bool emitTransposeKernel(KernelFunction &kernel) {
  const Crossing crossing(kernel.group);
  if (crossing.reads.empty())
    return false;
  TransposeEmitter(kernel, crossing).emit();
  return true;
}

} // namespace smp::codegen::cuda
