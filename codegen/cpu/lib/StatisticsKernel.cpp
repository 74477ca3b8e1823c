// SPDX-License-Identifier: Apache-2.0
// smp.statistics of one or several values: a tile is a block of any of them, so
// that many small values are one launch, and share the threads. What is done
// with a block is a function that kernels compiled together share; a kernel is
// a table of its values.

#include "StatisticsRecord.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// A row for each value, and the tiles of all.
static std::pair<DenseElementsAttr, int64_t> sourcesOf(ir::GroupOp group) {
  SmallVector<int64_t> rows;
  int64_t tiles = 0;
  Block &body = group.getBody().front();
  for (auto [i, record] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    auto input = cast<BlockArgument>(
        record.getDefiningOp<ir::StatisticsOp>().getInput());
    const int64_t elements = ir::tensorOf(input).getNumElements();
    rows.append({tiles, elements, int64_t(input.getArgNumber()),
                 int64_t(body.getNumArguments() + i)});
    tiles += numStatisticsBlocks(elements);
  }
  auto type = RankedTensorType::get(
      {int64_t(rows.size()) / kSourceColumns, kSourceColumns},
      IntegerType::get(group.getContext(), 64));
  return {DenseElementsAttr::get(type, ArrayRef(rows)), tiles};
}

LaunchShape emitStatisticsKernel(ModuleOp module, ir::GroupOp group,
                                 StringRef symbol, const Level &level) {
  auto op = *group.getBody().getOps<ir::StatisticsOp>().begin();
  const Type element = ir::elementOf(op.getInput());
  const int64_t lanes = level.vectorBytes * 8 / (element.isF64() ? 64 : 32);
  auto [sources, tiles] = sourcesOf(group);
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto kernel = func::FuncOp::create(b, group.getLoc(), symbol,
                                     b.getFunctionType({}, {}));
  kernel.setPrivate();
  func::FuncOp body = blockFunction(module, op.getLoc(), element, lanes);
  kernel->setAttr(kBodyAttr, FlatSymbolRefAttr::get(body));
  kernel->setAttr(kSourcesAttr, sources);
  LaunchShape launch;
  launch.grid[0] = uint32_t(tiles);
  return launch;
}

} // namespace smp::codegen::cpu
