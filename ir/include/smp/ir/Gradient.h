// SPDX-License-Identifier: Apache-2.0
// What a gradient rule is given, and what it builds with.

#ifndef SMP_IR_GRADIENT_H
#define SMP_IR_GRADIENT_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/BitVector.h"

namespace smp::ir {

/// One application of an op's gradient rule. Borrows the builder, whose ops get
/// the location of a part of the differentiated op.
class GradientBuilder {
public:
  /// `ofResults` has the gradient of each result, null for zero, and not all
  /// null; `wanted` has a bit per operand, some set, of floats only.
  GradientBuilder(mlir::OpBuilder &builder, mlir::Operation *op,
                  llvm::ArrayRef<mlir::Value> ofResults,
                  const llvm::BitVector &wanted);

  /// The gradient of a result; null: zero.
  mlir::Value ofResult(unsigned result = 0) const { return ofResults[result]; }
  bool wants(unsigned operand) const { return wanted[operand]; }
  /// Says the gradient of an operand, of its type; at most once each, and only
  /// of wanted ones.
  void give(unsigned operand, mlir::Value gradient);
  /// What was given, one per operand; null: zero.
  llvm::ArrayRef<mlir::Value> given() const { return gradients; }

  mlir::OpBuilder &getBuilder() const { return builder; }
  mlir::Location getLoc() const { return loc; }

  /// Makes an op with one result.
  template <typename OpTy, typename... Args>
  mlir::Value make(Args &&...args) const {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, mlir::Value y) const;
  mlir::Value div(mlir::Value x, mlir::Value y) const;
  mlir::Value neg(mlir::Value x) const;
  /// x times, and x plus, a number.
  mlir::Value scale(mlir::Value x, double factor) const;
  mlir::Value shift(mlir::Value x, double addend) const;
  mlir::Value compare(Direction direction, mlir::Value x, mlir::Value y) const;
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) const;
  /// All elements of a tensor type are `value`.
  mlir::Value splat(mlir::Type type, double value) const;
  /// 0 where the condition does not hold.
  mlir::Value maskedBy(mlir::Value condition, mlir::Value x) const;

  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) const;
  mlir::Value transpose(mlir::Value x,
                        llvm::ArrayRef<int64_t> permutation) const;
  /// The sum over `dimensions`, which vanish; `x` itself when there are none.
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> dimensions) const;
  /// Puts back, by repeating, the `dimensions` of `type` that a reduction
  /// removed.
  mlir::Value spread(mlir::Value x, mlir::RankedTensorType type,
                     llvm::ArrayRef<int64_t> dimensions) const;
  /// Pads with zeros; negative numbers remove elements.
  mlir::Value pad(mlir::Value x, llvm::ArrayRef<int64_t> low,
                  llvm::ArrayRef<int64_t> high,
                  llvm::ArrayRef<int64_t> interior) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::ArrayRef<mlir::Value> ofResults;
  const llvm::BitVector &wanted;
  llvm::SmallVector<mlir::Value> gradients;
};

} // namespace smp::ir

#endif // SMP_IR_GRADIENT_H
