// SPDX-License-Identifier: Apache-2.0
// smp.statistics of one or several values: a tile is a block of any of them, so
// that many small values are one launch, and share the threads. What is done
// with a block is a function that kernels compiled together share.

#include "StatisticsRecord.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// More elements than any value has: where the function is told how many.
static constexpr int64_t kExtent = int64_t(1) << 40;

static MemRefType memoryOf(Type element) {
  return MemRefType::get({kExtent}, storageType(element));
}

/// Of memory, records, the number of a block of the elements in memory, and how
/// many these are in all.
static func::FuncOp blockFunction(ModuleOp module, Location loc, Type element,
                                  int64_t lanes) {
  std::string symbol;
  llvm::raw_string_ostream(symbol) << "statistics." << element;
  if (auto made = module.lookupSymbol<func::FuncOp>(symbol))
    return made;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  const Type index = b.getIndexType(), wide = b.getF64Type();
  auto function = func::FuncOp::create(
      b, loc, symbol,
      b.getFunctionType({memoryOf(element), memoryOf(wide), index, index}, {}));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  b.setInsertionPoint(func::ReturnOp::create(b, loc));
  ElementEmitter emitter(b, loc, lanes);
  const Index block = emitter.space.add(body->getArgument(2), 0,
                                        kExtent / kStatisticsBlock - 1),
              first = block * kStatisticsBlock;
  Value left = arith::SubIOp::create(b, loc, body->getArgument(3),
                                     emitter.space.emit(b, loc, first));
  Value length = arith::MinUIOp::create(
      b, loc, left, emitter.indexConstant(kStatisticsBlock));
  const auto record =
      emitStatisticsRecord(emitter, {body->getArgument(0), element, first,
                                     length, kStatisticsBlock});
  for (auto [i, value] : llvm::enumerate(record))
    emitter.store(value, body->getArgument(1), wide,
                  block * int64_t(kNumStatistics) + Index(int64_t(i)));
  return function;
}

namespace {
using Values = SmallVector<Value>;

/// The kernel finds out which value its tile is of.
class StatisticsEmitter {
public:
  StatisticsEmitter(KernelFunction &kernel, func::FuncOp function)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(emitter.location), function(function) {}

  void emit();

private:
  struct Source {
    Value memory, records;
    int64_t elements, firstTile;
  };

  Values find(ArrayRef<Source> sources);
  /// The memory as if it had `kExtent` elements.
  Value unbounded(Value memory);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  func::FuncOp function;
  Value tile; ///< The number of this one.
};
} // namespace

Value StatisticsEmitter::unbounded(Value memory) {
  const Type element = cast<MemRefType>(memory.getType()).getElementType();
  return memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get({kExtent}, element), memory, /*offset=*/0,
      /*sizes=*/ArrayRef<int64_t>{kExtent}, /*strides=*/ArrayRef<int64_t>{1});
}

/// What the function gets, of the one among the values that the tile is of; by
/// halves.
Values StatisticsEmitter::find(ArrayRef<Source> sources) {
  if (sources.size() == 1) {
    const Source &source = sources.front();
    Value first = emitter.indexConstant(source.firstTile);
    return {unbounded(source.memory), unbounded(source.records),
            arith::SubIOp::create(b, loc, tile, first),
            emitter.indexConstant(source.elements)};
  }
  const size_t half = sources.size() / 2;
  Value isBelow =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, tile,
                            emitter.indexConstant(sources[half].firstTile));
  return emitter.branch(
      isBelow, function.getArgumentTypes(),
      [&] { return find(sources.take_front(half)); },
      [&] { return find(sources.drop_front(half)); });
}

void StatisticsEmitter::emit() {
  SmallVector<Source> sources;
  int64_t tiles = 0;
  for (unsigned i = 0; i < kernel.numResults(); ++i) {
    auto op = kernel.result(i).getDefiningOp<ir::StatisticsOp>();
    auto input = cast<BlockArgument>(op.getInput());
    const int64_t elements = ir::tensorOf(input).getNumElements();
    sources.push_back({kernel.inputMemory(input.getArgNumber()),
                       kernel.resultMemory(i), elements, tiles});
    tiles += numStatisticsBlocks(elements);
  }
  tile = emitter.space.emit(b, loc, kernel.tile(0, tiles));
  func::CallOp::create(b, loc, function, find(sources));
}

LaunchShape emitStatisticsKernel(ModuleOp module, ir::GroupOp group,
                                 StringRef symbol, const Level &level) {
  auto op = *group.getBody().getOps<ir::StatisticsOp>().begin();
  const Type element = ir::elementOf(op.getInput());
  const int64_t lanes = level.vectorBytes * 8 / (element.isF64() ? 64 : 32);
  KernelFunction kernel(module, group, symbol, level, lanes);
  StatisticsEmitter(kernel, blockFunction(module, op.getLoc(), element, lanes))
      .emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
