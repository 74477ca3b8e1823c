// SPDX-License-Identifier: Apache-2.0
// Strategy "pad": constant padding, row by row of the innermost dimension.

#include "Product.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cpu {

namespace {
class PadEmitter {
public:
  PadEmitter(KernelFunction &kernel, ir::PadOp pad)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), pad(pad),
        from(ir::tensorOf(pad.getInput())), to(ir::tensorOf(pad)) {}
  void emit();

private:
  Value isInside(const Position &row);
  void fill(const Position &row, int64_t begin, int64_t end);
  void copy(const Position &row);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  ir::PadOp pad;
  RankedTensorType from, to;
  Value value; ///< The fill, a scalar.
};
} // namespace

void PadEmitter::emit() {
  if (to.getRank() == 0)
    return kernel.storeResult(0, emitter.element(pad.getInput(), {}), {});
  value = emitter.element(pad.getValue(), {});
  int64_t columns = to.getShape().back(), rows = to.getNumElements() / columns;
  constexpr int64_t kTileElements = 32768;
  int64_t perTile = std::clamp<int64_t>(kTileElements / columns, 1, rows);
  Index first = kernel.tile(0, llvm::divideCeilSigned(rows, perTile)) * perTile;
  Value low = emitter.space.emit(b, loc, first);
  Value end = emitter.space.emit(b, loc, first + Index(perTile));
  Value high = arith::MinSIOp::create(b, loc, end, emitter.indexConstant(rows));
  emitter.loop(low, high, 0, rows, ValueRange(), [&](Index number, ValueRange) {
    Position row = emitter.split(number, to.getShape().drop_back());
    emitter.branch(
        isInside(row), [&] { copy(row); }, [&] { fill(row, 0, columns); });
    return SmallVector<Value>();
  });
}

/// Whether a row of the result shows a row of the input; null when every one
/// does.
Value PadEmitter::isInside(const Position &row) {
  Value all;
  for (size_t dim = 0; dim < row.size(); ++dim) {
    if (pad.getLow()[dim] == 0 && pad.getHigh()[dim] == 0)
      continue;
    // As unsigned numbers, negative ones are beyond any bound.
    Value at = emitter.space.emit(b, loc, row[dim] - pad.getLow()[dim]);
    Value one =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                              emitter.indexConstant(from.getDimSize(dim)));
    all = all ? arith::AndIOp::create(b, loc, all, one).getResult() : one;
  }
  return all;
}

void PadEmitter::fill(const Position &row, int64_t begin, int64_t end) {
  emitter.sweep(end - begin, [&](Index i) {
    Position at = row;
    at.push_back(i + Index(begin));
    kernel.storeResult(0, value, at);
  });
}

void PadEmitter::copy(const Position &row) {
  int64_t low = pad.getLow().back(), size = from.getShape().back();
  fill(row, 0, low);
  emitter.sweep(size, [&](Index i) {
    Position source, target = row;
    for (size_t dim = 0; dim < row.size(); ++dim)
      source.push_back(row[dim] - pad.getLow()[dim]);
    source.push_back(i);
    target.push_back(i + Index(low));
    kernel.storeResult(0, emitter.element(pad.getInput(), source), target);
  });
  fill(row, low + size, to.getShape().back());
}

LaunchShape emitPadKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                          const Level &level) {
  auto pad = *group.getBody().getOps<ir::PadOp>().begin();
  int64_t lanes = level.vectorBytes * 8 / widestElementBits(group, 8);
  KernelFunction kernel(module, group, symbol, level, lanes);
  PadEmitter(kernel, pad).emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
