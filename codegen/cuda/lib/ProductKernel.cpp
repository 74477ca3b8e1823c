// SPDX-License-Identifier: Apache-2.0
// Products and convolutions in tiles: a block makes a square of results, of
// which a thread sums some in registers. Operands come through shared memory,
// some depth at a time: while a step is multiplied the next one is on its way,
// and waits in registers until the other half of shared memory is free. What
// follows elementwise is applied before the store.
//
// A result is summed in order of depth, as where a thread makes one alone. What
// is beyond the operands' edges goes into no result that is stored; of the
// depth nothing is added that is not there.

#include "Strategy.h"
#include "Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static Type elementOf(const Product &product) {
  return tensorOf(product.result).getElementType();
}

/// The greatest tile of which there are many, none of them half empty; the
/// shape alone decides.
static Tile tileOf(const Product &product) {
  // A step of the great one is an access of 16 bytes by each thread and side.
  const int64_t step =
      computeType(elementOf(product)) == elementOf(product) ? 8 : 16;
  const Tile kGreat{128, 8, step}, kMiddle{64, 4, 16}, kSmall{32, 4, step};
  constexpr int64_t kMany = 96;
  const int64_t rows = product.rows.extent, columns = product.columns.extent;
  auto isWorth = [&](const Tile &tile) {
    return 2 * std::min(rows, columns) > tile.size &&
           product.batches() * ceilDiv(rows, tile.size) *
                   ceilDiv(columns, tile.size) >=
               kMany;
  };
  // 64 sums of 64 bits would leave no registers.
  if (!elementOf(product).isF64() && isWorth(kGreat))
    return kGreat;
  return isWorth(kMiddle) ? kMiddle : kSmall;
}

namespace {
class ProductEmitter {
public:
  ProductEmitter(KernelFunction &kernel, const Product &product)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), product(product), tile(tileOf(product)),
        sum(computeType(elementOf(product))),
        thread(kernel.thread(tile.threads())),
        rows(kernel, product.rows, tile, sum, product.depth, thread),
        columns(kernel, product.columns, tile, sum, product.depth, thread) {}
  void emit();

private:
  void choosePlaces();
  SmallVector<Value> multiply(const Index &step, int64_t depth,
                              ValueRange sums);
  void addProducts(const Index &step, int64_t k, MutableArrayRef<Value> sums);
  void addWhere(Value exists, Value common, ArrayRef<Value> others,
                MutableArrayRef<Value *> sums);
  void storeSums(ArrayRef<Value> sums);
  void storeRow(const Index &row, ArrayRef<Value> sums);
  void storeAt(const Index &row, const Index &column, Value value);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  const Product &product;
  const Tile tile;
  Type sum;
  Index thread;
  TileSide rows, columns;
  Position batch;
};
} // namespace

void ProductEmitter::choosePlaces() {
  const int64_t sizes[] = {product.batches(),
                           ceilDiv(product.rows.extent, tile.size),
                           ceilDiv(product.columns.extent, tile.size)};
  const Position at =
      emitter.split(kernel.block(0, sizes[0] * sizes[1] * sizes[2]), sizes);
  batch = emitter.split(at[0], product.batchSizes);
  rows.first = at[1] * tile.size;
  columns.first = at[2] * tile.size;
  const int64_t parts[] = {tile.warps(Tile::kRowLanes),
                           tile.warps(Tile::kColumnLanes), Tile::kRowLanes,
                           Tile::kColumnLanes};
  const Position part = emitter.split(thread, parts);
  rows.setPlace(part[0], part[2], Tile::kRowLanes);
  columns.setPlace(part[1], part[3], Tile::kColumnLanes);
}

void ProductEmitter::emit() {
  choosePlaces();
  auto fetch = [&](const Index &from) {
    return std::pair(rows.fetch(batch, from), columns.fetch(batch, from));
  };
  auto put = [&](const auto &values, const Index &step) {
    rows.put(values.first, step);
    columns.put(values.second, step);
    kernel.barrier();
  };
  put(fetch(Index(0)), Index(0));
  const int64_t last = ceilDiv(product.depth, tile.depth) - 1;
  SmallVector<Value> sums(size_t(tile.each * tile.each),
                          emitter.constant(elementOf(product), 0));
  auto step = [&](const Index &next, ValueRange before) {
    Index pair, half;
    emitter.space.divide(b, loc, next, 2, pair, half);
    const auto values = fetch(next * tile.depth);
    SmallVector<Value> after = multiply(half * -1 + 1, tile.depth, before);
    put(values, half);
    return after;
  };
  if (last > 0)
    sums =
        emitter.loop(emitter.indexConstant(1), emitter.indexConstant(last + 1),
                     1, last + 1, sums, step);
  storeSums(multiply(Index(last % 2), product.depth - last * tile.depth, sums));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

SmallVector<Value> ProductEmitter::multiply(const Index &step, int64_t depth,
                                            ValueRange sums) {
  SmallVector<Value> current(sums);
  for (int64_t k = 0; k < depth; ++k)
    addProducts(step, k, current);
  return current;
}

void ProductEmitter::addProducts(const Index &step, int64_t k,
                                 MutableArrayRef<Value> sums) {
  const auto each = size_t(tile.each);
  const SmallVector<Value> left = rows.take(step, k),
                           right = columns.take(step, k);
  if (!rows.side.hasHoles && !columns.side.hasHoles) {
    for (size_t i = 0; i < each * each; ++i)
      sums[i] = emitFma(b, loc, left[i / each], right[i % each], sums[i]);
    return;
  }
  const TileSide &holed = rows.side.hasHoles ? rows : columns;
  const bool byRow = &holed == &rows;
  const SmallVector<Value> exist = holed.exist(step, k);
  for (size_t i = 0; i < each; ++i) {
    SmallVector<Value *> line;
    for (size_t j = 0; j < each; ++j)
      line.push_back(&sums[byRow ? i * each + j : j * each + i]);
    addWhere(exist[i], byRow ? left[i] : right[i], byRow ? right : left, line);
  }
}

/// Adds nothing where the common factor is a hole: not even 0, which would
/// change the sign of a sum or meet an infinity. Guarded instructions, as
/// branches would part the threads of a warp and selects double the work.
void ProductEmitter::addWhere(Value exists, Value common,
                              ArrayRef<Value> others,
                              MutableArrayRef<Value *> sums) {
  const size_t count = sums.size();
  const bool isWide = sum.isF64();
  std::string text, results, operands;
  SmallVector<Value> values;
  for (auto [i, total] : llvm::enumerate(sums)) {
    text +=
        ("@$" + Twine(3 * count + 1) + " fma.rn." + (isWide ? "f64" : "f32") +
         " $" + Twine(i) + ", $" + Twine(3 * count) + ", $" +
         Twine(2 * count + i) + ", $" + Twine(i) + ";\n\t")
            .str();
    results += isWide ? "=d," : "=f,";
    operands += (Twine(i) + ",").str();
    values.push_back(*total);
  }
  llvm::append_range(values, others);
  values.append({common, exists});
  for (size_t i = 0; i <= count; ++i)
    operands += isWide ? "d," : "f,";
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               SmallVector<Type>(count, sum));
  auto made = LLVM::InlineAsmOp::create(
      b, loc, TypeRange(type), values, StringRef(text).rtrim(),
      results + operands + "b", /*has_side_effects=*/false,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  for (auto [i, total] : llvm::enumerate(sums))
    *total = LLVM::ExtractValueOp::create(b, loc, made.getResult(0),
                                          ArrayRef<int64_t>{int64_t(i)});
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void ProductEmitter::storeSums(ArrayRef<Value> sums) {
  for (int64_t i = 0; i < tile.each; ++i) {
    const Index row = rows.runAt(i / emitter.lanes) + Index(i % emitter.lanes);
    ProductSide::Conditions conditions;
    addBound(emitter, row, product.rows.extent, conditions);
    auto store = [&] {
      storeRow(row, sums.slice(size_t(i * tile.each), size_t(tile.each)));
      return SmallVector<Value>();
    };
    if (conditions.empty())
      store();
    else
      emitter.branch(allOf(emitter, conditions), TypeRange(), store,
                     [] { return SmallVector<Value>(); });
  }
}

/// Neighbours together, where they are neighbours in the results too.
void ProductEmitter::storeRow(const Index &row, ArrayRef<Value> sums) {
  const int64_t width = product.run % emitter.lanes == 0 ? emitter.lanes : 1;
  for (int64_t i = 0; i < tile.each; i += width) {
    const Index column =
        columns.runAt(i / emitter.lanes) + Index(i % emitter.lanes);
    if (width == 1) {
      storeAt(row, column, sums[size_t(i)]);
      continue;
    }
    auto type = VectorType::get({width}, sum);
    Value together = vector::FromElementsOp::create(
        b, loc, type, sums.slice(size_t(i), size_t(width)));
    storeAt(row, column, together);
  }
}

void ProductEmitter::storeAt(const Index &row, const Index &column,
                             Value value) {
  ProductSide::Conditions conditions;
  addBound(emitter, column, product.columns.extent, conditions);
  auto store = [&] {
    ElementEmitter::Scope scope(emitter);
    Position at = product.at(emitter, batch, row, column);
    if (isa<VectorType>(value.getType()))
      at.back() = at.back() + emitter.space.lane();
    emitter.define(product.result, at,
                   emitter.round(value, elementOf(product)));
    storeElements(kernel, at);
    return SmallVector<Value>();
  };
  if (conditions.empty())
    store();
  else
    emitter.branch(allOf(emitter, conditions), TypeRange(), store,
                   [] { return SmallVector<Value>(); });
}

//===----------------------------------------------------------------------===//
// Which groups
//===----------------------------------------------------------------------===//

/// Whether all results follow from the product element by element.
static bool followsElementwise(ir::GroupOp group, Value product) {
  ArrayRef<int64_t> shape = tensorOf(product).getShape();
  llvm::DenseSet<Value> follows{product};
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (llvm::none_of(op.getOperands(),
                      [&](Value operand) { return follows.contains(operand); }))
      continue;
    if (!op.hasTrait<ir::trait::Elementwise>() ||
        tensorOf(op.getResult(0)).getShape() != shape)
      return false;
    follows.insert(op.getResult(0));
  }
  return tensorOf(group->getResult(0)).getShape() == shape;
}

std::optional<Product> tiledProduct(ir::GroupOp group) {
  std::optional<Product> product;
  for (Operation &op : group.getBody().front())
    if (std::optional<Product> found = Product::of(&op)) {
      if (product)
        return std::nullopt;
      product = std::move(found);
    }
  if (!product || !isa<FloatType>(elementOf(*product)) ||
      !followsElementwise(group, product->result))
    return std::nullopt;
  // Smaller ones would leave most of a tile empty: so convolutions of a channel
  // or few by filters of their own stay with a thread per result, which reads
  // a window that its neighbours read too.
  constexpr int64_t kLeast = 16;
  if (std::min({product->rows.extent, product->columns.extent,
                product->depth}) < kLeast)
    return std::nullopt;
  return product;
}

int64_t lanesOf(const Product &product) {
  return elementOf(product).isF64() ? 2 : 4;
}

void emitProductKernel(KernelFunction &kernel, const Product &product) {
  ProductEmitter(kernel, product).emit();
}

} // namespace smp::codegen::cuda
