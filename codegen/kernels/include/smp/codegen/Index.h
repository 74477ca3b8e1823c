// SPDX-License-Identifier: Apache-2.0
// Index arithmetic at code generation time: sums of loop variables with known
// ranges, simplified before anything is emitted.

#ifndef SMP_CODEGEN_INDEX_H
#define SMP_CODEGEN_INDEX_H

#include "mlir/IR/Builders.h"

namespace smp::codegen {

/// A linear expression over the variables of an IndexSpace: a constant plus
/// coefficient * variable per term. Terms are sorted and never zero.
class Index {
public:
  Index(int64_t constant = 0) : constant(constant) {}
  static Index variable(unsigned id);

  Index operator+(const Index &other) const;
  Index operator-(int64_t value) const { return *this + Index(-value); }
  Index operator*(int64_t factor) const;

  /// The factor of variable `id`; 0 when it does not occur.
  int64_t coefficient(unsigned id) const;
  bool isConstant() const { return terms.empty(); }
  /// This expression with variable `id` replaced by `value`.
  Index substitute(unsigned id, int64_t value) const;

  bool operator==(const Index &) const = default;
  bool operator<(const Index &other) const {
    return std::tie(constant, terms) < std::tie(other.constant, other.terms);
  }

  llvm::SmallVector<std::pair<unsigned, int64_t>, 4> terms;
  int64_t constant;
};

/// The variables that indices are made of. Variable 0 is the lane: the position
/// within a vector, which has no value of its own.
class IndexSpace {
public:
  static constexpr unsigned kLane = 0;

  explicit IndexSpace(int64_t lanes) {
    variables.push_back({{}, 0, lanes - 1});
  }

  /// A variable that holds `value` (index type), in min..max.
  Index add(mlir::Value value, int64_t min, int64_t max);
  Index lane() const { return Index::variable(kLane); }

  /// The least and greatest value of an expression.
  std::pair<int64_t, int64_t> range(const Index &index) const;

  /// index / divisor and index % divisor for an expression that is >= 0 and
  /// does not have the lane in a part that stays unsimplified; emits a division
  /// only when ranges do not settle it. Returns false, emitting nothing, when
  /// the lane is in the way: then substitute each lane and try again.
  bool divide(mlir::OpBuilder &builder, mlir::Location location,
              const Index &index, int64_t divisor, Index &quotient,
              Index &remainder);

  /// Emits the expression, which must not contain the lane, as an index value.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location location,
                   const Index &index) const;

  /// Whether integers of 32 bits hold whatever was emitted so far, with every
  /// step on the way, twice.
  bool fitsIn32Bits() const { return greatest <= INT32_MAX / 2; }

private:
  struct Variable {
    mlir::Value value;
    int64_t min, max;
  };
  /// Notes the magnitude of a step of what is emitted.
  void note(const Index &index) const;

  llvm::SmallVector<Variable> variables;
  mutable int64_t greatest = 0; ///< Magnitude of anything emitted.
};

/// A position in a tensor: one index per dimension.
using Position = llvm::SmallVector<Index, 4>;

/// The row-major element offset of a position.
Index linearize(llvm::ArrayRef<Index> position, llvm::ArrayRef<int64_t> shape);

} // namespace smp::codegen

#endif // SMP_CODEGEN_INDEX_H
