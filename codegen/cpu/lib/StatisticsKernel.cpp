// SPDX-License-Identifier: Apache-2.0
// smp.statistics of one or several values: a tile is a block of any of them, so
// that many small values are one launch, and share the threads. What is done
// with a block is a function that kernels compiled together share; a kernel is
// a table of its values.

#include "StatisticsBlock.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;

namespace smp::codegen::cpu {

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

/// What is done with a tile of a source, whose number is that of a block.
static func::FuncOp bodyFor(ModuleOp module, Location loc, Type element,
                            const Level &level) {
  func::FuncOp takes = statisticsFunction(module, loc, element, level);
  std::string symbol = (takes.getSymName() + ".tile").str();
  if (auto made = module.lookupSymbol<func::FuncOp>(symbol))
    return made;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto body = func::FuncOp::create(
      b, loc, symbol,
      b.getFunctionType(takes.getArgumentTypes().drop_back(), {}));
  body.setPrivate();
  b.setInsertionPointToStart(body.addEntryBlock());
  SmallVector<Value> arguments(body.getArguments());
  Value size = arith::ConstantIndexOp::create(b, loc, kStatisticsBlock);
  arguments.push_back(arith::MulIOp::create(b, loc, arguments[2], size));
  func::CallOp::create(b, loc, takes, arguments);
  func::ReturnOp::create(b, loc);
  return body;
}

LaunchShape emitStatisticsKernel(ModuleOp module, ir::GroupOp group,
                                 StringRef symbol, const Level &level) {
  auto op = *group.getBody().getOps<ir::StatisticsOp>().begin();
  auto [sources, tiles] = sourcesOf(group);
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto kernel = func::FuncOp::create(b, group.getLoc(), symbol,
                                     b.getFunctionType({}, {}));
  kernel.setPrivate();
  func::FuncOp body =
      bodyFor(module, op.getLoc(), ir::elementOf(op.getInput()), level);
  kernel->setAttr(kBodyAttr, FlatSymbolRefAttr::get(body));
  kernel->setAttr(kSourcesAttr, sources);
  LaunchShape launch;
  launch.grid[0] = uint32_t(tiles);
  return launch;
}

} // namespace smp::codegen::cpu
