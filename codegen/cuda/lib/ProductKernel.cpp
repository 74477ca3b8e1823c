// SPDX-License-Identifier: Apache-2.0
// Products and convolutions in tiles: a block makes a square of results, of
// which a thread sums some in registers. Operands come through shared memory,
// some depth at a time: while a step is multiplied the next one is on its way,
// and waits in registers until the other half of shared memory is free. What
// follows elementwise is applied before the store, unless it makes sums of
// parts of the depth.
//
// A result is summed in order of depth, as where a thread makes one alone. What
// is beyond the operands' edges goes into no result that is stored; of the
// depth nothing is added that is not there; but a part of it that is shorter
// than others is filled up with products of zeros.

#include "ProductPlan.h"
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

static Type elementOf(const Product &product) {
  return tensorOf(product.result).getElementType();
}

namespace {
class ProductEmitter {
public:
  ProductEmitter(KernelFunction &kernel, const Product &product)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), product(product), plan(planOf(product)),
        tile(plan.tile), sum(computeType(elementOf(product))),
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
  const ProductPlan plan;
  const Tile &tile;
  Type sum;
  Index thread;
  TileSide rows, columns;
  Index part;
  Position batch;
};
} // namespace

void ProductEmitter::choosePlaces() {
  const int64_t sizes[] = {
      plan.parts, product.batches(),
      llvm::divideCeilSigned(product.rows.extent, tile.size),
      llvm::divideCeilSigned(product.columns.extent, tile.size)};
  const Position at = emitter.split(
      kernel.block(0, sizes[0] * sizes[1] * sizes[2] * sizes[3]), sizes);
  part = at[0];
  batch = emitter.split(at[1], product.batchSizes);
  rows.first = at[2] * tile.size;
  columns.first = at[3] * tile.size;
  const int64_t parts[] = {tile.warps(Tile::kRowLanes),
                           tile.warps(Tile::kColumnLanes), Tile::kRowLanes,
                           Tile::kColumnLanes};
  const Position part = emitter.split(thread, parts);
  rows.setPlace(part[0], part[2], Tile::kRowLanes);
  columns.setPlace(part[1], part[3], Tile::kColumnLanes);
}

void ProductEmitter::emit() {
  kernel.wantRegisters();
  choosePlaces();
  auto fetch = [&](const Index &step) {
    const Index from = part * plan.partDepth + step * tile.depth;
    return std::pair(rows.fetch(batch, from), columns.fetch(batch, from));
  };
  auto put = [&](const auto &values, const Index &step) {
    rows.put(values.first, step);
    columns.put(values.second, step);
    kernel.barrier();
  };
  put(fetch(Index(0)), Index(0));
  const int64_t last = llvm::divideCeilSigned(plan.partDepth, tile.depth) - 1;
  SmallVector<Value> sums(size_t(tile.each * tile.each),
                          emitter.constant(elementOf(product), 0));
  auto step = [&](const Index &next, ValueRange before) {
    Index pair, half;
    emitter.space.divide(b, loc, next, 2, pair, half);
    const auto values = fetch(next);
    SmallVector<Value> after = multiply(half * -1 + 1, tile.depth, before);
    put(values, half);
    return after;
  };
  if (last > 0)
    sums =
        emitter.loop(emitter.indexConstant(1), emitter.indexConstant(last + 1),
                     1, last + 1, sums, step);
  storeSums(
      multiply(Index(last % 2), plan.partDepth - last * tile.depth, sums));
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
    emitter.branch(allOf(emitter, conditions), [&] {
      storeRow(row, sums.slice(size_t(i * tile.each), size_t(tile.each)));
    });
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
  emitter.branch(allOf(emitter, conditions), [&] {
    ElementEmitter::Scope scope(emitter);
    Position at = product.at(emitter, batch, row, column);
    if (isa<VectorType>(value.getType()))
      at.back() = at.back() + emitter.space.lane();
    if (plan.parts > 1)
      return emitter.store(value, kernel.temporaryMemory(kernel.part), sum,
                           placeOfPart(product, part, at));
    emitter.define(product.result, at,
                   emitter.round(value, elementOf(product)));
    storeElements(kernel, at);
  });
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
  if (!product || !followsElementwise(group, product->result))
    return std::nullopt;
  const ProductPlan plan = planOf(*product);
  if (!plan.isTiled || plan.parts > 1)
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
