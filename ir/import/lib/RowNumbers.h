// SPDX-License-Identifier: Apache-2.0
// Which numbers of a model follow from the number of rows that it is imported
// for.

#ifndef SMP_IMPORT_LIB_ROWNUMBERS_H
#define SMP_IMPORT_LIB_ROWNUMBERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace smp::frontend {

/// Follows sizes that a model asks for (Shape, Size, ...) through what it
/// computes from them. A size follows from the number of rows when it is
/// another in an import for other rows; so does every number that is computed
/// from such.
class RowNumbers {
public:
  /// Sizes in the order in which the model asks for them.
  using Sizes = std::vector<int64_t>;

  /// Of the first import: keeps the sizes, and nothing follows from rows.
  RowNumbers() = default;
  /// Of an import for `factor` times as many rows as the one that asked for
  /// `fewer`: a prime that divides no size of that one. Borrows `fewer`.
  RowNumbers(const Sizes &fewer, int64_t factor)
      : fewer(&fewer), factor(factor) {}

  const Sizes &asked() const { return sizes; }
  int64_t rowFactor() const { return factor; }

  /// The constant, which may be null, holds these sizes, which the model asks
  /// for. Whether one of them follows from the number of rows.
  bool ask(mlir::Value constant, llvm::ArrayRef<int64_t> asked);
  /// The results, which are constants, are computed by `op` from constants. One
  /// that is an operand of it becomes another constant if it follows.
  void derive(mlir::Operation *op, llvm::MutableArrayRef<mlir::Value> results);
  /// All of the value follows from the number of rows.
  void follow(mlir::Value value);

  /// Whether an element of the constant follows from the number of rows, or
  /// how many there are.
  bool follows(mlir::Value value) const;
  /// Whether the constant can be a shape: what follows from the number of rows
  /// is a multiple of it.
  bool isShape(mlir::Value constant, llvm::ArrayRef<int64_t> sizes) const;

private:
  bool hasGrown(int64_t size) const;
  bool hasGrown(mlir::Value value) const;
  bool losesLength(mlir::Operation *op) const;
  void mark(mlir::Value constant, std::optional<llvm::BitVector> elements);

  const Sizes *fewer = nullptr;
  int64_t factor = 0;
  Sizes sizes;
  /// By constant; nothing stands for all of its elements.
  llvm::DenseMap<mlir::Value, std::optional<llvm::BitVector>> following;
};

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_ROWNUMBERS_H
