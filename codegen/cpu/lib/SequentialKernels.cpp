// SPDX-License-Identifier: Apache-2.0
// Strategies "scan" and "scatter": elements in an order that the op fixes.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/Reducer.h"
#include "smp/codegen/Sequences.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cpu {

using ir::tensorOf;

LaunchShape emitScanKernel(ModuleOp module, ir::GroupOp group, StringRef symbol,
                           const Level &level) {
  auto scan = *group.getBody().getOps<ir::ScanOp>().begin();
  KernelFunction kernel(module, group, symbol, level, /*lanes=*/1);
  emitScanLine(kernel.emitter, scan, kernel.tile(0, countLines(scan)),
               [&](Value value, const Position &at) {
                 kernel.storeResult(0, value, at);
               });
  return kernel.launch;
}

namespace {
/// Applies updates one after the other. 16-bit sums and products are kept in
/// f32 until all are in, so that they are rounded once.
class ScatterEmitter {
public:
  ScatterEmitter(KernelFunction &kernel, Operation *op)
      : kernel(kernel), emitter(kernel.emitter), op(op),
        elements(dyn_cast<ir::ScatterElementsOp>(op)),
        kind(elements ? elements.getKind()
                      : cast<ir::ScatterNdOp>(op).getKind()),
        type(tensorOf(op->getOperand(0))), element(type.getElementType()) {}
  void emit();

private:
  void copyBase();
  void roundSums();
  Position place(const Position &from);
  void update(const Position &at, Value value);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  Operation *op;
  ir::ScatterElementsOp elements; ///< Null: tuples of indices.
  ir::ScatterKind kind;
  RankedTensorType type;
  Type element;
  Value sums; ///< Where updates are combined, elements of type `element`.
};
} // namespace

/// Copies the operand that is scattered into.
void ScatterEmitter::copyBase() {
  emitter.loop(0, type.getNumElements(), 1, [&](Index i) {
    ElementEmitter::Scope scope(emitter);
    Position at = emitter.split(i, type.getShape());
    emitter.store(emitter.element(op->getOperand(0), at), sums, element,
                  linearize(at, type.getShape()));
  });
}

void ScatterEmitter::roundSums() {
  emitter.loop(0, type.getNumElements(), 1, [&](Index i) {
    emitter.store(emitter.load(sums, element, i), kernel.resultMemory(0),
                  type.getElementType(), i);
  });
}

/// Where the update at `from` goes.
Position ScatterEmitter::place(const Position &from) {
  Value indices = op->getOperand(1);
  auto read = [&](const Position &where, int64_t dim) {
    return emitter.checkedIndex(emitter.element(indices, where),
                                type.getDimSize(dim), op);
  };
  if (elements) {
    Position at = from;
    int64_t axis = elements.getAxis();
    at[axis] = read(from, axis);
    return at;
  }
  Position at;
  size_t outer = size_t(tensorOf(indices).getRank() - 1);
  for (int64_t i = 0; i < tensorOf(indices).getShape().back(); ++i) {
    Position where(from.begin(), from.begin() + outer);
    where.push_back(Index(i));
    at.push_back(read(where, i));
  }
  at.append(from.begin() + outer, from.end());
  return at;
}

void ScatterEmitter::update(const Position &at, Value value) {
  Index offset = linearize(at, type.getShape());
  if (kind != ir::ScatterKind::Replace) {
    Value old = emitter.load(sums, element, offset);
    value = combine(emitter, reduceKindOf(kind), element, old, value);
  }
  emitter.store(value, sums, element, offset);
}

void ScatterEmitter::emit() {
  bool isNarrow = isa<BFloat16Type, Float16Type>(element);
  bool adds = kind == ir::ScatterKind::Sum || kind == ir::ScatterKind::Prod;
  sums = kernel.resultMemory(0);
  if (isNarrow && adds) {
    element = computeType(element);
    sums = kernel.scratch(element, type.getNumElements());
  }
  copyBase();
  RankedTensorType updates = tensorOf(op->getOperand(2));
  emitter.loop(0, updates.getNumElements(), 1, [&](Index number) {
    ElementEmitter::Scope scope(emitter);
    Position from = emitter.split(number, updates.getShape());
    Position at = place(from);
    if (type.getNumElements() > 0) // Else the indices were all out of range.
      update(at, emitter.element(op->getOperand(2), from));
  });
  if (element != type.getElementType())
    roundSums();
}

LaunchShape emitScatterKernel(ModuleOp module, ir::GroupOp group,
                              StringRef symbol, const Level &level) {
  KernelFunction kernel(module, group, symbol, level, /*lanes=*/1);
  ScatterEmitter(kernel, kernel.result(0).getDefiningOp()).emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
