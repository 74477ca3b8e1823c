// SPDX-License-Identifier: Apache-2.0
// Strategies "scan" and "scatter": elements in an order that the op fixes.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/cpu/Strategy.h"

using namespace mlir;

namespace smp::codegen::cpu {

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Splits a row-major number over `sizes`.
static Position split(ElementEmitter &emitter, Index number,
                      ArrayRef<int64_t> sizes) {
  Position position(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    Index quotient;
    if (dim == 0) {
      position[0] = number;
      break;
    }
    emitter.space.divide(emitter.builder, emitter.location, number, sizes[dim],
                         quotient, position[dim]);
    number = quotient;
  }
  return position;
}

LaunchShape emitScanKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                           const Level &level) {
  auto scan = *group.getBody().getOps<ir::ScanOp>().begin();
  RankedTensorType type = tensorOf(scan.getInput());
  Type element = type.getElementType();
  int64_t axis = scan.getAxis(), size = type.getDimSize(axis);
  KernelFunction kernel(module, group, symbol, level, /*lanes=*/1);
  ElementEmitter &emitter = kernel.emitter;
  SmallVector<int64_t> others(type.getShape());
  others.erase(others.begin() + axis);
  int64_t lines = type.getNumElements() / size;
  Position line = split(emitter, kernel.tile(0, lines), others);
  Value start = neutralValue(emitter, scan.getKind(), element);
  emitter.loop(0, size, 1, start,
               [&](Index i, ValueRange carried) -> SmallVector<Value> {
                 Position at = line;
                 at.insert(at.begin() + axis,
                           scan.getReverse() ? i * -1 + Index(size - 1) : i);
                 Value value = emitter.element(scan.getInput(), at);
                 Value sum = emitter.round(combine(emitter, scan.getKind(),
                                                   element, carried[0], value),
                                           element);
                 kernel.storeResult(0, scan.getExclusive() ? carried[0] : sum,
                                    at);
                 return {sum};
               });
  return kernel.launch;
}

/// Copies the operand that is scattered into to the result.
static void emitBase(KernelFunction &kernel, Value input) {
  ElementEmitter &emitter = kernel.emitter;
  RankedTensorType type = tensorOf(input);
  emitter.loop(0, type.getNumElements(), 1, [&](Index i) {
    ElementEmitter::Scope scope(emitter);
    Position at = split(emitter, i, type.getShape());
    kernel.storeResult(0, emitter.element(input, at), at);
  });
}

/// result[at] = result[at] combined with update.
static void emitUpdate(KernelFunction &kernel, ir::ScatterKind kind,
                       const Position &at, Value update) {
  RankedTensorType type = tensorOf(kernel.result(0));
  if (kind != ir::ScatterKind::Replace) {
    static constexpr ir::ReduceKind kinds[] = {
        ir::ReduceKind::Sum, ir::ReduceKind::Sum, ir::ReduceKind::Prod,
        ir::ReduceKind::Max, ir::ReduceKind::Min};
    Value old =
        kernel.emitter.load(kernel.resultMemory(0), type.getElementType(),
                            linearize(at, type.getShape()));
    update = kernel.emitter.round(combine(kernel.emitter, kinds[unsigned(kind)],
                                          type.getElementType(), old, update),
                                  type.getElementType());
  }
  kernel.storeResult(0, update, at);
}

LaunchShape emitScatterKernel(ModuleOp module, ir::GroupOp group,
                              StringRef symbol, const Level &level) {
  KernelFunction kernel(module, group, symbol, level, /*lanes=*/1);
  ElementEmitter &emitter = kernel.emitter;
  Operation *op = kernel.result(0).getDefiningOp();
  Value input = op->getOperand(0), indices = op->getOperand(1),
        updates = op->getOperand(2);
  RankedTensorType type = tensorOf(input);
  emitBase(kernel, input);
  auto elements = dyn_cast<ir::ScatterElementsOp>(op);
  emitter.loop(0, tensorOf(updates).getNumElements(), 1, [&](Index number) {
    ElementEmitter::Scope scope(emitter);
    Position from = split(emitter, number, tensorOf(updates).getShape());
    auto read = [&](const Position &where, int64_t bound) {
      return emitter.checkedIndex(emitter.element(indices, where), bound, op);
    };
    Position at;
    if (elements) {
      at = from;
      at[elements.getAxis()] = read(from, type.getDimSize(elements.getAxis()));
    } else {
      size_t outer = size_t(tensorOf(indices).getRank() - 1);
      for (int64_t i = 0; i < tensorOf(indices).getShape().back(); ++i) {
        Position where(from.begin(), from.begin() + outer);
        where.push_back(Index(i));
        at.push_back(read(where, type.getDimSize(i)));
      }
      at.append(from.begin() + outer, from.end());
    }
    emitUpdate(kernel,
               elements ? elements.getKind()
                        : cast<ir::ScatterNdOp>(op).getKind(),
               at, emitter.element(updates, from));
  });
  return kernel.launch;
}

} // namespace smp::codegen::cpu
