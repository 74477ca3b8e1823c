// SPDX-License-Identifier: Apache-2.0
// Strategies "scan" and "scatter": elements in an order that the op fixes.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/Reducer.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cpu {

using ir::tensorOf;

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
  bool isAdded = scan.getKind() == ir::ReduceKind::Sum ||
                 scan.getKind() == ir::ReduceKind::Prod;
  bool isInF64 = isAdded && isa<FloatType>(element);
  Type carriedType = isInF64 ? Type(kernel.builder.getF64Type()) : element;
  Value start = neutralValue(emitter, scan.getKind(), carriedType);
  emitter.loop(0, size, 1, start,
               [&](Index i, ValueRange carried) -> SmallVector<Value> {
                 Position at = line;
                 at.insert(at.begin() + axis,
                           scan.getReverse() ? i * -1 + Index(size - 1) : i);
                 Value value = emitter.element(scan.getInput(), at);
                 if (isInF64)
                   value = toF64(emitter, value);
                 Value sum = combine(emitter, scan.getKind(), carriedType,
                                     carried[0], value);
                 // Rounded as it is stored, not as it is carried on.
                 Value shown = scan.getExclusive() ? carried[0] : sum;
                 if (isInF64)
                   shown = fromF64(emitter, shown, element);
                 kernel.storeResult(0, shown, at);
                 return {sum};
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
    Position at = split(emitter, i, type.getShape());
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
    static constexpr ir::ReduceKind kinds[] = {
        ir::ReduceKind::Sum, ir::ReduceKind::Sum, ir::ReduceKind::Prod,
        ir::ReduceKind::Max, ir::ReduceKind::Min};
    Value old = emitter.load(sums, element, offset);
    value = combine(emitter, kinds[unsigned(kind)], element, old, value);
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
    Position from = split(emitter, number, updates.getShape());
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
