// SPDX-License-Identifier: Apache-2.0
// Strategy "pack": lays a product's right operand out in panels of columns.

#include "Product.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// One vector of a panel row: `active` columns from `column` on, then zeros.
static Value packedVector(ElementEmitter &emitter, ir::PackOp pack,
                          Type element, const Position &at, int64_t active) {
  OpBuilder &b = emitter.builder;
  Value zeros = emitter.broadcast(emitter.constant(element, 0));
  if (active <= 0)
    return zeros;
  emitter.setActiveLanes(std::min(active, emitter.lanes));
  Value value = emitter.vectorElement(pack.getInput(), at);
  emitter.setActiveLanes(emitter.lanes);
  if (active >= emitter.lanes)
    return value;
  auto maskType = VectorType::get({emitter.lanes}, b.getI1Type());
  Value mask = vector::ConstantMaskOp::create(b, emitter.location, maskType,
                                              ArrayRef(active));
  return arith::SelectOp::create(b, emitter.location, mask, value, zeros);
}

LaunchShape emitPackKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                           const Level &level) {
  Value result = group.getBody().front().getTerminator()->getOperand(0);
  auto pack = result.getDefiningOp<ir::PackOp>();
  auto input = ir::tensorOf(pack.getInput());
  Type element = ir::tensorOf(result).getElementType();
  int64_t lanes = level.lanes(element), width = lanes * kPanelVectors;
  int64_t depth = input.getDimSize(1), columns = input.getDimSize(2);
  int64_t panels = llvm::divideCeilSigned(columns, width);
  KernelFunction kernel(module, group, symbol, level, lanes);
  ElementEmitter &emitter = kernel.emitter;
  Index panel = kernel.tile(0, panels),
        product = kernel.tile(1, input.getDimSize(0));
  auto emitPanel = [&](int64_t valid) {
    emitter.loop(0, depth, 1, [&](Index k) {
      for (int64_t v = 0; v < kPanelVectors; ++v) {
        ElementEmitter::Scope scope(emitter);
        Index lane = emitter.space.lane() + Index(v * lanes);
        Value value =
            packedVector(emitter, pack, element,
                         {product, k, panel * width + lane}, valid - v * lanes);
        Index offset =
            (product * panels + panel) * (depth * width) + k * width + lane;
        emitter.store(value, kernel.resultMemory(0), element, offset);
      }
    });
    return SmallVector<Value>();
  };
  int64_t last = columns - (panels - 1) * width;
  if (last == width || panels == 1) {
    emitPanel(last);
    return kernel.launch;
  }
  Value isLast = arith::CmpIOp::create(
      kernel.builder, emitter.location, arith::CmpIPredicate::eq,
      emitter.space.emit(kernel.builder, emitter.location, panel),
      emitter.indexConstant(panels - 1));
  emitter.branch(isLast, [&] { emitPanel(last); }, [&] { emitPanel(width); });
  return kernel.launch;
}

} // namespace smp::codegen::cpu
