// SPDX-License-Identifier: Apache-2.0
// Which dimensions of an op's operands and results belong together.

#ifndef SMP_IR_AXES_H
#define SMP_IR_AXES_H

#include "mlir/IR/Operation.h"
#include "smp/ir/Enums.h"

namespace smp::ir {

/// Adjacent dimensions of a tensor, taken as one, in row-major order.
struct DimRange {
  int64_t first = 0;
  int64_t count = 0; ///< 0: none.

  bool contains(int64_t dim) const {
    return dim >= first && dim < first + count;
  }
};

/// A direction of an op's work: what results hold at a place along it depends,
/// of each operand that is on the axis, on what that holds at the same place.
/// All ranges of an axis have as many elements. A result without a range on an
/// axis of operands combines everything along it.
class OpAxis {
public:
  explicit OpAxis(mlir::Operation *op)
      : operands(op->getNumOperands()), results(op->getNumResults()) {}

  OpAxis &operand(unsigned number, DimRange range) {
    operands[number] = range;
    return *this;
  }
  OpAxis &operand(unsigned number, int64_t dim) {
    return operand(number, DimRange{dim, 1});
  }
  OpAxis &result(DimRange range, unsigned number = 0) {
    results[number] = range;
    return *this;
  }
  OpAxis &result(int64_t dim, unsigned number = 0) {
    return result(DimRange{dim, 1}, number);
  }
  /// Says how the results combine what lies along the axis.
  OpAxis &combines(ReduceKind kind) {
    combined = kind;
    return *this;
  }

  llvm::SmallVector<DimRange, 3> operands, results; ///< One each.
  std::optional<ReduceKind> combined;
};

/// The axes of an op. Along a dimension that is on none of them, elements
/// depend on each other, or on their place.
class OpAxes {
public:
  explicit OpAxes(mlir::Operation *op) : op(op) {}

  OpAxis &add() { return axes.emplace_back(op); }
  /// An axis from dimension `dim` of operand 0 to `dim` of each result.
  void keep(int64_t dim);
  llvm::ArrayRef<OpAxis> all() const & { return axes; }
  llvm::ArrayRef<OpAxis> all() const && = delete; ///< It would dangle.

private:
  mlir::Operation *op;
  llvm::SmallVector<OpAxis, 4> axes;
};

/// Whether some axis leads from the dimension of the operand to every result.
bool keepsDim(llvm::ArrayRef<OpAxis> axes, unsigned operand, int64_t dim);

/// Every dimension of all operands and results is an axis: they have one shape.
OpAxes elementwiseAxes(mlir::Operation *op);

} // namespace smp::ir

#endif // SMP_IR_AXES_H
