// SPDX-License-Identifier: Apache-2.0
// smp.statistics of one or several values: a tile is a block of any of them, so
// that many small values are one launch, and share the threads. What is done
// with a block is a function that kernels compiled together share; a kernel is
// a table of its values.

#include "StatisticsBlock.h"
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

LaunchShape emitStatisticsKernel(ModuleOp module, ir::GroupOp group,
                                 StringRef symbol, const Level &level) {
  auto op = *group.getBody().getOps<ir::StatisticsOp>().begin();
  auto [sources, tiles] = sourcesOf(group);
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto kernel = func::FuncOp::create(b, group.getLoc(), symbol,
                                     b.getFunctionType({}, {}));
  kernel.setPrivate();
  func::FuncOp body = statisticsFunction(module, op.getLoc(),
                                         ir::elementOf(op.getInput()), level);
  kernel->setAttr(kBodyAttr, FlatSymbolRefAttr::get(body));
  kernel->setAttr(kSourcesAttr, sources);
  LaunchShape launch;
  launch.grid[0] = uint32_t(tiles);
  return launch;
}

} // namespace smp::codegen::cpu
