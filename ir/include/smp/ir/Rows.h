// SPDX-License-Identifier: Apache-2.0
// Where the rows of a batch go: which values are made row by row.

#ifndef SMP_IR_ROWS_H
#define SMP_IR_ROWS_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

namespace smp::ir {

/// Where rows are in a tensor: dimension `dim` counts outer x rows x inner, in
/// this order.
struct RowPlace {
  int64_t dim = 0;
  int64_t outer = 1, rows = 1, inner = 1;

  bool isWholeDim() const { return outer == 1 && inner == 1; }
  bool operator==(const RowPlace &) const = default;
};

/// What a value has to do with the rows of a batch.
struct RowState {
  enum class Kind {
    None,   ///< It does not depend on them.
    Placed, ///< What is at a row depends on that row alone.
    Mixed,  ///< Else.
  };
  Kind kind = Kind::None;
  RowPlace place; ///< Of Placed.
  /// Of Placed: why the single row may be in another dimension of size one,
  /// unless a person declares it; null: it cannot. Owned by the analysis.
  const std::string *doubt = nullptr;
  /// Of None: the dimensions along which all elements are equal.
  llvm::BitVector uniform;
  /// Of Mixed: which op mixes rows, and how; owned by the analysis.
  const std::string *reason = nullptr;
};

/// Marks the op with `smp.follows_rows`.
void markFollowsRows(mlir::Operation *op);

/// Follows the rows of an entry's arguments through its ops, by their axes.
class RowAnalysis {
public:
  /// `arguments` has the place of the rows of each argument, nothing where it
  /// has none. A dimension whose size is a multiple of `factor` is as long as
  /// there are rows; 0: none is but for the rows' own. What an op that is
  /// marked with `smp.follows_rows` gives is taken to follow from the number of
  /// rows.
  RowAnalysis(EntryOp entry, llvm::ArrayRef<std::optional<RowPlace>> arguments,
              int64_t factor = 0);

  const RowState &of(mlir::Value value) const {
    return states.find(value)->second;
  }

private:
  void visit(mlir::Operation *op);
  const std::string *keepReason(mlir::Operation *op, const llvm::Twine &how);
  void mix(mlir::Operation *op, const llvm::Twine &how);
  std::string ownMixing(mlir::Operation *op) const;
  bool isAsLongAsRows(mlir::Value value, int64_t dim) const;
  std::string lengthMixing(mlir::Operation *op,
                           llvm::ArrayRef<OpAxis> axes) const;
  std::string lengthMixing(mlir::Value value, const RowState &state) const;
  RowState independentResult(mlir::OpResult result,
                             llvm::ArrayRef<OpAxis> axes) const;
  llvm::SmallVector<RowPlace> follow(mlir::Operation *op,
                                     llvm::ArrayRef<OpAxis> axes, unsigned from,
                                     mlir::OpResult result,
                                     std::string &reason) const;
  llvm::SmallVector<RowPlace> follow(mlir::Operation *op, const OpAxis &axis,
                                     unsigned from, mlir::OpResult result,
                                     std::string &reason) const;

  const int64_t factor;
  llvm::StringSet<> changing; ///< Variables that the entry assigns.
  llvm::DenseMap<mlir::Value, RowState> states;
  std::vector<std::unique_ptr<std::string>> reasons;
};

/// What becomes of the values that microbatches give to a result of an entry.
struct RowJoin {
  JoinKind kind = JoinKind::Each;
  int64_t axis = -1;  ///< Of Concat.
  std::string reason; ///< Of Mixed.
};

/// What follows from what a result has to do with rows. `declared` is the
/// dimension that a person says they are along: one that they are not makes it
/// Mixed.
RowJoin joinOf(const RowState &state, mlir::RankedTensorType type,
               std::optional<int64_t> declared);

/// Sets `smp.join` of a result and, of a Concat, `smp.batch_axis`.
void setJoin(EntryOp entry, unsigned result, const RowJoin &join);

/// Whether a call of the entry is a step by definition, of microbatches that
/// its author speaks of: it is trained, changes variables once per step, or
/// says how many microbatches it has.
bool isStep(EntryOp entry);

} // namespace smp::ir

#endif // SMP_IR_ROWS_H
