// SPDX-License-Identifier: Apache-2.0
// Makes ops of the dialect for the front ends: checked, folded, broadcast.

#ifndef SMP_IMPORT_LIB_EMITTER_H
#define SMP_IMPORT_LIB_EMITTER_H

#include "RowNumbers.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Smp.h"

namespace smp::frontend {

using ir::Origin;      // Not smp::Origin.
using mlir::Attribute; // Not smp::Attribute.
using mlir::Value;
using Ints = llvm::ArrayRef<int64_t>;
using IntVector = llvm::SmallVector<int64_t>;

/// Tensors above this many elements, and graphs above this many ops, are taken
/// for damaged or hostile input.
inline constexpr int64_t kMaxElements = int64_t(1) << 40;
inline constexpr int64_t kMaxRank = 64;
inline constexpr int64_t kMaxOps = 1'000'000;

/// The value's type and shape. For a null value: null, empty.
mlir::RankedTensorType typeOf(Value value);
Ints shapeOf(Value value);
mlir::Type elementOf(Value value);
int64_t rankOf(Value value);
/// The size of dimension `dim`; 1 when there is no such dimension.
int64_t dimOf(Value value, int64_t dim);
bool isFloat(Value value);
bool isBool(Value value);
bool isUnsigned(Value value);

/// Makes ops at the builder's insertion point. An op that cannot be made is
/// reported through the context's diagnostics and gives a null value; ops over
/// null values give null and report nothing, so that one mistake is told once
/// and no caller has to check each step.
class Emitter {
public:
  explicit Emitter(mlir::OpBuilder &builder)
      : builder(builder), location(builder.getUnknownLoc()) {}

  mlir::OpBuilder &builder;
  mlir::Location location;     ///< Of the next ops.
  ir::PlacementAttr placement; ///< Of the next ops; null: none.
  bool folds = true;           ///< Whether ops over constants are evaluated.
  RowNumbers *rows = nullptr;  ///< Null: nobody asks what follows from rows.

  /// Reports an error at the current location and gives null.
  Value error(const llvm::Twine &message);

  /// An op with one result, whose type is inferred unless given.
  template <typename OpT>
  Value make(mlir::ValueRange operands,
             llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
             mlir::Type type = {}) {
    llvm::SmallVector<Value> results;
    makeMany(OpT::getOperationName(), operands, attributes, type, results);
    return results.empty() ? Value() : results.front();
  }
  /// An op with several results of inferred types; empty after an error.
  void makeMany(llvm::StringRef name, mlir::ValueRange operands,
                llvm::ArrayRef<mlir::NamedAttribute> attributes,
                mlir::Type type, llvm::SmallVectorImpl<Value> &results);

  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::NamedAttribute attr(llvm::StringRef name, int64_t value) {
    return attr(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute attr(llvm::StringRef name, Ints values) {
    return attr(name,
                mlir::DenseI64ArrayAttr::get(builder.getContext(), values));
  }

  //===-- Constants -------------------------------------------------------===//
  /// All elements `value`, rounded to the type's element type.
  Value splat(mlir::Type type, double value);
  /// A scalar of `element`.
  Value scalar(mlir::Type element, double value);
  /// A vector of i64.
  Value ints(Ints values);
  Value ints(Ints values, Ints shape);
  /// Sizes that the model asks for, as `ints`.
  Value asked(Ints sizes, Ints shape);
  /// Elements of `element`, to which each value is rounded.
  Value numbers(mlir::Type element, llvm::ArrayRef<double> values, Ints shape);
  Value constant(mlir::DenseElementsAttr value);
  /// 0, 1, ... along `dim`.
  Value iota(mlir::Type element, Ints shape, int64_t dim);

  //===-- Elementwise, operands broadcast as numpy does -------------------===//
  template <typename OpT>
  Value unary(Value x) {
    return make<OpT>(x);
  }
  template <typename OpT>
  Value binary(Value x, Value y) {
    alignShapes(x, y);
    return make<OpT>({x, y});
  }
  template <typename OpT>
  Value binary(Value x, double y) {
    return make<OpT>({x, splat(typeOf(x), y)});
  }
  template <typename OpT>
  Value binary(double x, Value y) {
    return make<OpT>({splat(typeOf(y), x), y});
  }
  Value compare(ir::Direction direction, Value x, Value y);
  Value compare(ir::Direction direction, Value x, double y);
  Value select(Value condition, Value onTrue, Value onFalse);
  Value convert(Value x, mlir::Type element);
  /// Brings x and y to one shape; null both and reports when they have none.
  void alignShapes(Value &x, Value &y);
  /// numpy's broadcast to `shape`: missing leading dimensions are added.
  Value broadcastTo(Value x, Ints shape);
  /// A vector broadcast along dimension `dim` of `shape`.
  Value broadcastAlong(Value vector, Ints shape, int64_t dim);

  /// What several steps on elements of this type are computed in: f32 for
  /// floats of 16 bits, else the type itself.
  mlir::Type accurate(mlir::Type element);

  //===-- Shape -----------------------------------------------------------===//
  Value reshape(Value x, Ints shape);
  /// Adds a unit dimension at `dim`.
  Value unsqueeze(Value x, int64_t dim);
  /// Drops the unit dimension `dim`.
  Value squeeze(Value x, int64_t dim);
  Value transpose(Value x, Ints permutation);
  Value slice(Value x, Ints starts, Ints limits, Ints strides);
  /// Elements start..limit-1 of one dimension.
  Value slice(Value x, int64_t dim, int64_t start, int64_t limit,
              int64_t stride = 1);
  /// Element `index` of a dimension, which vanishes.
  Value take(Value x, int64_t dim, int64_t index);
  Value reverse(Value x, Ints dims);
  Value concat(mlir::ValueRange inputs, int64_t axis);
  /// Zero padding when `value` is null.
  Value pad(Value x, Ints low, Ints high, Value value = {},
            ir::PadMode mode = ir::PadMode::Constant, Ints interior = {});
  Value gather(Value x, Value indices, int64_t axis);
  /// Indices below zero counted from the end, as `size` tells it. One that is
  /// out of range stays as it is, to be reported so.
  Value normaliseIndices(Value indices, int64_t size);
  Value normaliseIndices(Value indices, Value sizes);

  //===-- Contractions ----------------------------------------------------===//
  Value reduce(ir::ReduceKind kind, Value x, Ints dims, bool keepDims);
  Value mean(Value x, Ints dims, bool keepDims);
  Value softmax(Value x, int64_t axis);
  Value dot(Value lhs, Value rhs, Ints lhsBatch, Ints rhsBatch,
            Ints lhsContract, Ints rhsContract);
  /// numpy's matmul.
  Value matmul(Value lhs, Value rhs);

  int64_t numOps() const { return opCount; }
  /// When `value` is a constant that came of integers which 64 bits do not
  /// hold: the first of them, as text. Else empty.
  std::string excessOf(Value value) const;
  /// The value, as one that follows from the number of rows.
  Value following(Value value);

private:
  mlir::Operation *createOp(llvm::StringRef name, mlir::ValueRange operands,
                            llvm::ArrayRef<mlir::NamedAttribute> attributes,
                            mlir::Type type);
  Value addUnitDims(Value x, Ints shape, Ints kept);
  bool tryFold(mlir::Operation *op, llvm::SmallVectorImpl<Value> &results);
  bool mustStay(mlir::Operation *op) const;
  std::string findExcess(mlir::Operation *op) const;

  int64_t opCount = 0;
  /// Of constants that came of integers that wrapped: what the first would have
  /// been.
  llvm::DenseMap<Value, std::string> excessive;
};

/// Constants of more elements are not listed: equal ones take no room in a
/// model.
inline constexpr int64_t kMaxListed = int64_t(1) << 24;
/// The elements of a constant of integer or i1 type; nothing for any other
/// value, or a longer one.
std::optional<IntVector> constantInts(Value value);
/// The elements of a constant of any type.
std::optional<llvm::SmallVector<double>> constantDoubles(Value value);
/// The elements of a constant, or null.
mlir::DenseElementsAttr constantOf(Value value);

/// A shape for a message: "[2, 3]".
std::string text(Ints shape);
/// numpy's common shape, or nothing when there is none.
std::optional<IntVector> broadcastShapes(Ints x, Ints y);
/// `axis`, counted from the end when negative.
inline int64_t fromEnd(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}
/// 0, 1, ..., count - 1.
IntVector range(int64_t count);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_EMITTER_H
