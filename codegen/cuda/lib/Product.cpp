// SPDX-License-Identifier: Apache-2.0
#include "Product.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/ir/Tensors.h"
#include <numeric>

using namespace mlir;

namespace smp::codegen::cuda {

using ir::shapeOf;
using ir::tensorOf;
using Sizes = SmallVector<int64_t>;

static int64_t productOf(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

/// A row-major number as a position in `sizes`. Where it is a multiple of what
/// divides the last size, so is the last index.
static Position split(ElementEmitter &emitter, const Index &number,
                      ArrayRef<int64_t> sizes) {
  if (sizes.size() < 2)
    return emitter.split(number, sizes);
  int64_t unit = std::gcd(sizes.back(), number.constant);
  for (auto [id, factor] : number.terms)
    unit = std::gcd(unit, factor);
  Index inUnits(number.constant / unit);
  for (auto [id, factor] : number.terms)
    inUnits.terms.push_back({id, factor / unit});
  Sizes inUnitSizes(sizes);
  inUnitSizes.back() /= unit;
  Position position = emitter.split(inUnits, inUnitSizes);
  position.back() = position.back() * unit;
  return position;
}

int64_t Product::batches() const { return productOf(batchSizes); }

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

/// The operand's own dimensions, and what is at them.
static Sizes ownSizes(Value tensor, ArrayRef<int64_t> batch,
                      ArrayRef<int64_t> contract) {
  Sizes sizes;
  for (auto [dim, size] : llvm::enumerate(shapeOf(tensor)))
    if (!llvm::is_contained(batch, int64_t(dim)) &&
        !llvm::is_contained(contract, int64_t(dim)))
      sizes.push_back(size);
  return sizes;
}

static ProductSide sideOf(Value tensor, ArrayRef<int64_t> batch,
                          ArrayRef<int64_t> contract) {
  ProductSide side;
  side.tensor = tensor;
  side.shape = Sizes(shapeOf(tensor));
  const int64_t rank = int64_t(side.shape.size());
  const Sizes own = ownSizes(tensor, batch, contract);
  side.extent = productOf(own);
  side.runsAlongDepth = llvm::is_contained(contract, rank - 1);
  if (side.runsAlongDepth ? contract.back() == rank - 1
                          : !llvm::is_contained(batch, rank - 1) && rank)
    side.run = side.shape.back();
  Sizes depth;
  for (int64_t dim : contract)
    depth.push_back(side.shape[dim]);
  side.at = [=, batch = Sizes(batch), contract = Sizes(contract)](
                ElementEmitter &emitter, const Position &batchAt,
                const Index &ownAt, const Index &depthAt,
                ProductSide::Conditions &) {
    const Position ownDims = split(emitter, ownAt, own),
                   depthDims = split(emitter, depthAt, depth);
    Position position;
    size_t next = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      const auto *inBatch = llvm::find(batch, dim);
      const auto *inDepth = llvm::find(contract, dim);
      if (inBatch != batch.end())
        position.push_back(batchAt[size_t(inBatch - batch.begin())]);
      else if (inDepth != contract.end())
        position.push_back(depthDims[size_t(inDepth - contract.begin())]);
      else
        position.push_back(ownDims[next++]);
    }
    return position;
  };
  return side;
}

static Product productOf(ir::DotGeneralOp op) {
  Product product;
  product.result = op.getResult();
  for (int64_t dim : op.getLhsBatch())
    product.batchSizes.push_back(shapeOf(op.getLhs())[dim]);
  for (int64_t dim : op.getLhsContract())
    product.depth *= shapeOf(op.getLhs())[dim];
  product.rows = sideOf(op.getLhs(), op.getLhsBatch(), op.getLhsContract());
  product.columns = sideOf(op.getRhs(), op.getRhsBatch(), op.getRhsContract());
  const Sizes rows =
                  ownSizes(op.getLhs(), op.getLhsBatch(), op.getLhsContract()),
              columns =
                  ownSizes(op.getRhs(), op.getRhsBatch(), op.getRhsContract());
  product.run = columns.empty() ? 1 : columns.back();
  product.at = [=](ElementEmitter &emitter, const Position &batch,
                   const Index &row, const Index &column) {
    Position at = batch;
    at.append(split(emitter, row, rows));
    at.append(split(emitter, column, columns));
    return at;
  };
  return product;
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

namespace {
/// What a window does to one spatial dimension.
struct Slide {
  int64_t stride, low, dilation;
  int64_t size;      ///< Of the input.
  bool mayBeOutside; ///< Whether a position of a window is outside the input.
};

/// The sizes of a convolution. One whose window is a single element, and moves
/// by one, has one spatial dimension only.
struct ConvSizes {
  explicit ConvSizes(ir::ConvOp op);

  Position activationAt(const Index &batch, const Index &feature,
                        ArrayRef<Index> spatial) const;
  Sizes activationShape(int64_t features, ArrayRef<int64_t> spatial) const;

  bool isLast; ///< Whether features are the last dimension.
  bool isPointwise;
  int64_t batch, groups, depth, features; ///< Depth and features of a group.
  Sizes window, input, output;
  SmallVector<Slide> slides;
};
} // namespace

ConvSizes::ConvSizes(ir::ConvOp op) {
  const ir::ActivationDims from(tensorOf(op.getInput()), op.getLayout()),
      to(tensorOf(op.getResult()), op.getLayout());
  ArrayRef<int64_t> filter = shapeOf(op.getFilter());
  isLast = op.getLayout() == ir::Layout::ChannelsLast;
  batch = from.batch;
  groups = op.getGroups();
  depth = filter[1];
  features = filter[0] / groups;
  window = Sizes(filter.drop_front(2));
  input = from.spatial;
  output = to.spatial;
  for (auto [dim, taps] : llvm::enumerate(window)) {
    Slide slide{op.getStrides()[dim], op.getLow()[dim], op.getDilations()[dim],
                input[dim], false};
    const int64_t last = (output[dim] - 1) * slide.stride - slide.low +
                         (taps - 1) * slide.dilation;
    slide.mayBeOutside = slide.low > 0 || last >= input[dim];
    slides.push_back(slide);
  }
  isPointwise = input == output && productOf(window) == 1 &&
                llvm::all_of(slides, [](const Slide &slide) {
                  return slide.stride == 1 && slide.low == 0;
                });
  if (isPointwise) {
    input = output = {productOf(input)};
    window = {1};
    slides = {{1, 0, 1, input[0], false}};
  }
}

Position ConvSizes::activationAt(const Index &batchAt, const Index &feature,
                                 ArrayRef<Index> spatial) const {
  Position at{batchAt};
  at.append(spatial.begin(), spatial.end());
  at.insert(isLast ? at.end() : at.begin() + 1, feature);
  return at;
}

Sizes ConvSizes::activationShape(int64_t count,
                                 ArrayRef<int64_t> spatial) const {
  Sizes shape{batch};
  llvm::append_range(shape, spatial);
  shape.insert(isLast ? shape.end() : shape.begin() + 1, count);
  return shape;
}

/// Numbered as [batch, spatial...].
static Position splitPixel(ElementEmitter &emitter, const Index &number,
                           const ConvSizes &sizes, ArrayRef<int64_t> spatial) {
  Sizes all{sizes.batch};
  llvm::append_range(all, spatial);
  return split(emitter, number, all);
}

/// Numbered as [window..., features].
static Position splitDepth(ElementEmitter &emitter, const Index &number,
                           const ConvSizes &sizes) {
  Sizes all = sizes.window;
  all.push_back(sizes.depth);
  return split(emitter, number, all);
}

static ProductSide pixelsOf(ir::ConvOp op, const ConvSizes &sizes) {
  ProductSide side;
  side.tensor = op.getInput();
  side.shape = sizes.activationShape(sizes.groups * sizes.depth, sizes.input);
  side.extent = sizes.batch * productOf(sizes.output);
  side.runsAlongDepth = sizes.isLast;
  side.run = sizes.isLast        ? sizes.depth
             : sizes.isPointwise ? sizes.input.back()
                                 : 1;
  side.hasHoles = llvm::any_of(
      sizes.slides, [](const Slide &slide) { return slide.mayBeOutside; });
  side.at = [=](ElementEmitter &emitter, const Position &batch,
                const Index &own, const Index &depth,
                ProductSide::Conditions &conditions) {
    const Position pixel = splitPixel(emitter, own, sizes, sizes.output),
                   in = splitDepth(emitter, depth, sizes);
    Position spatial;
    for (auto [dim, slide] : llvm::enumerate(sizes.slides)) {
      spatial.push_back(pixel[dim + 1] * slide.stride +
                        in[dim] * slide.dilation - slide.low);
      if (slide.mayBeOutside)
        conditions.push_back(arith::CmpIOp::create(
            emitter.builder, emitter.location, arith::CmpIPredicate::ult,
            emitter.space.emit(emitter.builder, emitter.location,
                               spatial.back()),
            emitter.indexConstant(slide.size)));
    }
    return sizes.activationAt(pixel[0], batch[0] * sizes.depth + in.back(),
                              spatial);
  };
  return side;
}

static ProductSide featuresOf(ir::ConvOp op, const ConvSizes &sizes) {
  ProductSide side;
  side.tensor = op.getFilter();
  side.shape = {sizes.groups * sizes.features, sizes.depth};
  llvm::append_range(side.shape, sizes.window);
  side.extent = sizes.features;
  side.runsAlongDepth = true;
  side.run = productOf(sizes.window) == 1 ? sizes.depth : 1;
  side.at = [=](ElementEmitter &emitter, const Position &batch,
                const Index &own, const Index &depth,
                ProductSide::Conditions &) {
    const Position in = splitDepth(emitter, depth, sizes);
    Position at{batch[0] * sizes.features + own, in.back()};
    at.append(in.begin(), in.end() - 1);
    return at;
  };
  return side;
}

/// What is side by side in the result becomes columns.
static Product productOf(ir::ConvOp op) {
  const ConvSizes sizes(op);
  Product product;
  product.result = op.getResult();
  product.batchSizes = {sizes.groups};
  product.depth = productOf(sizes.window) * sizes.depth;
  product.rows = pixelsOf(op, sizes);
  product.columns = featuresOf(op, sizes);
  if (!sizes.isLast)
    std::swap(product.rows, product.columns);
  const Sizes spatial =
      ir::ActivationDims(tensorOf(op.getResult()), op.getLayout()).spatial;
  product.run = sizes.isLast ? sizes.features : spatial.back();
  product.at = [=](ElementEmitter &emitter, const Position &batch,
                   const Index &row, const Index &column) {
    const Position pixel =
        splitPixel(emitter, sizes.isLast ? row : column, sizes, spatial);
    const Index &feature = sizes.isLast ? column : row;
    return sizes.activationAt(pixel[0], batch[0] * sizes.features + feature,
                              ArrayRef(pixel).drop_front());
  };
  return product;
}

std::optional<Product> Product::of(Operation *op) {
  if (auto dot = dyn_cast<ir::DotGeneralOp>(op))
    return productOf(dot);
  if (auto conv = dyn_cast<ir::ConvOp>(op))
    return productOf(conv);
  return std::nullopt;
}

} // namespace smp::codegen::cuda
