// SPDX-License-Identifier: Apache-2.0
// Strategy "loop": elements of the results by themselves, a vector of them or
// one per thread. Where an operand is the same for all rows, a thread makes its
// elements of several rows in turn, and reads those of the operand once.

#include "Strategy.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::shapeOf;

/// Rows in turn, and threads that there should be first.
static constexpr int64_t kMostRows = 16, kEnoughThreads = 16384;

void storeElements(KernelFunction &kernel, const Position &at) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < kernel.numResults(); ++i)
    values.push_back(kernel.emitter.element(kernel.result(i), at));
  for (auto [i, value] : llvm::enumerate(values))
    kernel.storeResult(unsigned(i), value, at);
}

/// Operands of several elements, each stretched over the first dimension.
static SmallVector<ir::BroadcastOp> commonOperands(ir::GroupOp group,
                                                   ArrayRef<int64_t> shape) {
  SmallVector<ir::BroadcastOp> common;
  for (auto broadcast : group.getBody().getOps<ir::BroadcastOp>()) {
    auto operand = dyn_cast<BlockArgument>(broadcast.getInput());
    if (operand && ir::tensorOf(operand).getNumElements() > 1 &&
        shapeOf(broadcast.getResult()) == shape &&
        !llvm::is_contained(broadcast.getDimensions(), 0))
      common.push_back(broadcast);
  }
  return common;
}

/// How many rows of `shape` a thread makes, which divide them.
static int64_t rowsInTurn(RankedTensorType type, int64_t lanes) {
  const int64_t most = type.getNumElements() / lanes / kEnoughThreads;
  int64_t rows = kMostRows;
  while (rows > 1 && (rows > most || type.getDimSize(0) % rows))
    rows /= 2;
  return rows;
}

/// A vector's column, and several rows of it.
static void emitRowsInTurn(KernelFunction &kernel,
                           ArrayRef<ir::BroadcastOp> common, int64_t inTurn) {
  ElementEmitter &emitter = kernel.emitter;
  auto type = ir::tensorOf(kernel.group->getResult(0));
  ArrayRef<int64_t> shape = type.getShape();
  const int64_t row = type.getNumElements() / shape[0];
  kernel.forEachVector(shape[0] / inTurn * row, [&](Index number) {
    Index first, column;
    emitter.space.divide(kernel.builder, emitter.location, number, row, first,
                         column);
    const Position inRow = emitter.split(column, shape.drop_front());
    auto at = [&](const Index &row) {
      Position position{row};
      position.append(inRow);
      return position;
    };
    for (ir::BroadcastOp operand : common)
      emitter.element(operand.getResult(), at(first * inTurn));
    emitter.loop(0, inTurn, 1, [&](const Index &turn) {
      storeElements(kernel, at(first * inTurn + turn));
    });
  });
}

void emitLoopKernel(KernelFunction &kernel) {
  if (emitTransposeKernel(kernel))
    return;
  auto type = ir::tensorOf(kernel.group->getResult(0));
  const SmallVector<ir::BroadcastOp> common =
      commonOperands(kernel.group, type.getShape());
  const int64_t inTurn =
      common.empty() ? 1 : rowsInTurn(type, kernel.emitter.lanes);
  if (inTurn > 1)
    return emitRowsInTurn(kernel, common, inTurn);
  kernel.forEachVector(type.getNumElements(), [&](Index number) {
    storeElements(kernel, kernel.emitter.split(number, type.getShape()));
  });
}

} // namespace smp::codegen::cuda
