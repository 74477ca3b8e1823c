// SPDX-License-Identifier: Apache-2.0
// Matrix products in tiles of 64 by 64 results, of which a thread sums 4 by 4
// in registers; operands come through shared memory, some depth at a time, and
// what follows elementwise is applied before the store.
//
// A result is summed in order of depth, as where a thread makes one alone. What
// is beyond the operands' edges is zero in shared memory and goes into no
// result that is stored; of the depth nothing is added that is not there.

#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

/// Results of a tile in each direction, of a thread in each direction, and the
/// depth that is in shared memory at a time.
static constexpr int64_t kTile = 64, kPerThread = 4, kDepth = 16;
/// Threads in each direction, and of a block.
static constexpr int64_t kSide = kTile / kPerThread, kThreads = kSide * kSide;
/// Elements from one depth to the next: stores along the depth meet all banks.
static constexpr int64_t kPitch = kTile + 1;

static int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

namespace {
/// One side of a product: its dimensions are those of batches, those that are
/// contracted, and its own.
struct Side {
  Side(Value tensor, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract)
      : tensor(tensor), batch(batch), contract(contract) {
    for (auto [dim, size] : llvm::enumerate(tensorOf(tensor).getShape()))
      if (!llvm::is_contained(batch, int64_t(dim)) &&
          !llvm::is_contained(contract, int64_t(dim)))
        sizes.push_back(size);
    extent = productOf(sizes);
  }

  /// Whether neighbours in depth are neighbours in memory.
  bool runsAlongDepth() const {
    return llvm::is_contained(contract, tensorOf(tensor).getRank() - 1);
  }
  Position at(const Position &batchAt, const Position &own,
              const Position &depth) const;

  Value tensor;
  ArrayRef<int64_t> batch, contract;
  SmallVector<int64_t> sizes; ///< Of its own dimensions.
  int64_t extent;
  Value memory; ///< Its tile, by depth.
  Index first;  ///< What of its extent the tile begins with.
};

class ProductEmitter {
public:
  ProductEmitter(KernelFunction &kernel, ir::DotGeneralOp op)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), op(op),
        element(tensorOf(op.getResult()).getElementType()),
        sum(computeType(element)),
        lhs(op.getLhs(), op.getLhsBatch(), op.getLhsContract()),
        rhs(op.getRhs(), op.getRhsBatch(), op.getRhsContract()) {
    for (int64_t dim : op.getLhsBatch())
      batchSizes.push_back(tensorOf(op.getLhs()).getDimSize(dim));
    for (int64_t dim : op.getLhsContract())
      depthSizes.push_back(tensorOf(op.getLhs()).getDimSize(dim));
  }
  void emit();

private:
  void loadTile(const Side &side, const Index &from, int64_t depth);
  Value elementOrZero(const Side &side, const Index &own, const Index &k,
                      const Index &from, int64_t depth);
  SmallVector<Value> addTile(const Index &from, int64_t depth, ValueRange sums);
  void storeSums(ArrayRef<Value> sums);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  ir::DotGeneralOp op;
  Type element, sum;
  Side lhs, rhs;
  SmallVector<int64_t> batchSizes, depthSizes;
  Position batch;
  Index thread, row, column; ///< Of this thread: its number, and its place.
};
} // namespace

Position Side::at(const Position &batchAt, const Position &own,
                  const Position &depth) const {
  Position position;
  size_t next = 0;
  for (int64_t dim = 0; dim < tensorOf(tensor).getRank(); ++dim) {
    const auto *inBatch = llvm::find(batch, dim);
    const auto *inDepth = llvm::find(contract, dim);
    if (inBatch != batch.end())
      position.push_back(batchAt[inBatch - batch.begin()]);
    else if (inDepth != contract.end())
      position.push_back(depth[inDepth - contract.begin()]);
    else
      position.push_back(own[next++]);
  }
  return position;
}

/// The element of a side at `own` of its extent and depth `from + k`; zero
/// where it has none, or k is beyond `depth`.
Value ProductEmitter::elementOrZero(const Side &side, const Index &own,
                                    const Index &k, const Index &from,
                                    int64_t depth) {
  Value isThere;
  auto bounded = [&](const Index &index, int64_t bound) {
    if (emitter.space.range(index).second < bound)
      return index;
    Value value = emitter.space.emit(b, loc, index);
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         value, emitter.indexConstant(bound));
    isThere = isThere
                  ? arith::AndIOp::create(b, loc, isThere, inside).getResult()
                  : inside;
    return emitter.space.add(value, 0, bound - 1);
  };
  const Index ownAt = bounded(own, side.extent), kAt = bounded(k, depth);
  auto read = [&]() -> SmallVector<Value> {
    return {emitter.element(side.tensor,
                            side.at(batch, emitter.split(ownAt, side.sizes),
                                    emitter.split(from + kAt, depthSizes)))};
  };
  if (!isThere)
    return read()[0];
  return emitter.branch(isThere, sum, read, [&]() -> SmallVector<Value> {
    return {emitter.constant(element, 0)};
  })[0];
}

/// Neighbouring threads read what is side by side.
void ProductEmitter::loadTile(const Side &side, const Index &from,
                              int64_t depth) {
  const int64_t run = side.runsAlongDepth() ? kDepth : kTile;
  Index line, place;
  emitter.space.divide(b, loc, thread, run, line, place);
  for (int64_t i = 0; i < kTile * kDepth / kThreads; ++i) {
    const Index next = line + Index(i * (kThreads / run));
    const Index &k = side.runsAlongDepth() ? place : next;
    const Index &own = side.runsAlongDepth() ? next : place;
    emitter.store(elementOrZero(side, side.first + own, k, from, depth),
                  side.memory, sum, k * kPitch + own);
  }
}

SmallVector<Value> ProductEmitter::addTile(const Index &from, int64_t depth,
                                           ValueRange sums) {
  loadTile(lhs, from, depth);
  loadTile(rhs, from, depth);
  kernel.barrier();
  SmallVector<Value> next =
      emitter.loop(0, depth, 1, sums, [&](Index k, ValueRange inner) {
        SmallVector<Value> left, right, result;
        for (int64_t i = 0; i < kPerThread; ++i) {
          const Index at = k * kPitch + Index(i * kSide);
          left.push_back(emitter.load(lhs.memory, sum, at + row));
          right.push_back(emitter.load(rhs.memory, sum, at + column));
        }
        for (int64_t i = 0; i < kPerThread; ++i)
          for (int64_t j = 0; j < kPerThread; ++j)
            result.push_back(
                emitFma(b, loc, left[i], right[j], inner[i * kPerThread + j]));
        return result;
      });
  kernel.barrier();
  return next;
}

void ProductEmitter::storeSums(ArrayRef<Value> sums) {
  for (auto [number, value] : llvm::enumerate(sums)) {
    const Index rowAt = lhs.first + row + Index(number / kPerThread * kSide);
    const Index columnAt =
        rhs.first + column + Index(number % kPerThread * kSide);
    Value total = emitter.round(value, element);
    kernel.where(rowAt, lhs.extent, [&](const Index &r) {
      kernel.where(columnAt, rhs.extent, [&](const Index &c) {
        ElementEmitter::Scope scope(emitter);
        Position at = batch;
        at.append(emitter.split(r, lhs.sizes));
        at.append(emitter.split(c, rhs.sizes));
        emitter.define(op.getResult(), at, total);
        storeElements(kernel, at);
      });
    });
  }
}

void ProductEmitter::emit() {
  auto tiles = [](int64_t extent) { return (extent + kTile - 1) / kTile; };
  const int64_t sizes[] = {productOf(batchSizes), tiles(lhs.extent),
                           tiles(rhs.extent)};
  thread = kernel.thread(kThreads);
  const Position tile = emitter.split(kernel.block(0, productOf(sizes)), sizes);
  batch = emitter.split(tile[0], batchSizes);
  lhs.first = tile[1] * kTile;
  rhs.first = tile[2] * kTile;
  emitter.space.divide(b, loc, thread, kSide, row, column);
  lhs.memory = kernel.shared(sum, kDepth * kPitch);
  rhs.memory = kernel.shared(sum, kDepth * kPitch);
  const int64_t depth = productOf(depthSizes), rest = depth % kDepth;
  SmallVector<Value> sums(size_t(kPerThread * kPerThread),
                          emitter.constant(element, 0));
  sums = emitter.loop(0, depth / kDepth, 1, sums,
                      [&](Index step, ValueRange inner) {
                        return addTile(step * kDepth, kDepth, inner);
                      });
  if (rest)
    sums = addTile(Index(depth - rest), rest, sums);
  storeSums(sums);
}

ir::DotGeneralOp tiledProduct(ir::GroupOp group) {
  ir::DotGeneralOp product;
  for (auto dot : group.getBody().getOps<ir::DotGeneralOp>()) {
    if (product)
      return {};
    product = dot;
  }
  if (!product ||
      tensorOf(product).getShape() !=
          tensorOf(group->getResult(0)).getShape() ||
      !isa<FloatType>(tensorOf(product).getElementType()))
    return {};
  // Smaller ones would leave most of a tile empty.
  constexpr int64_t kLeast = 16;
  Side lhs(product.getLhs(), product.getLhsBatch(), product.getLhsContract());
  Side rhs(product.getRhs(), product.getRhsBatch(), product.getRhsContract());
  int64_t depth = 1;
  for (int64_t dim : product.getLhsContract())
    depth *= tensorOf(product.getLhs()).getDimSize(dim);
  return std::min({lhs.extent, rhs.extent, depth}) >= kLeast
             ? product
             : ir::DotGeneralOp();
}

void emitProductKernel(KernelFunction &kernel, ir::DotGeneralOp product) {
  ProductEmitter(kernel, product).emit();
}

} // namespace smp::codegen::cuda
