// SPDX-License-Identifier: Apache-2.0
// What fills a kernel of rows.

#ifndef SMP_CODEGEN_CUDA_LIB_ROWEMITTER_H
#define SMP_CODEGEN_CUDA_LIB_ROWEMITTER_H

#include "RowJoin.h"
#include "RowMemory.h"
#include "Rows.h"

namespace smp::codegen::cuda {

class RowEmitter {
public:
  explicit RowEmitter(KernelFunction &kernel);
  void emit();

private:
  /// A reduction of the row, and how its elements are combined.
  struct Part {
    ir::ReduceOp op;
    Reducer reducer;
  };

  // Rows in one part.
  void shareOperands(const Index &inBlock);
  void emitRow();
  void emitWalk(unsigned number);

  // Rows in parts.
  void emitPart();
  void storeStates(unsigned walk);
  void defineTotal(const RowStates &states);
  mlir::Value joinParts(const Reducer &reducer, unsigned temporary);
  mlir::Value loadState(const Reducer &reducer, unsigned temporary,
                        const Index &part);
  void storeState(const Reducer &reducer, mlir::Value state,
                  unsigned temporary);

  // Both.
  Part partOf(ir::ReduceOp op);
  llvm::SmallVector<mlir::Value> reduce(llvm::ArrayRef<Part> parts,
                                        unsigned walk);
  mlir::Value reduceAlone(const Part &part);
  llvm::SmallVector<mlir::Value> accumulate(llvm::ArrayRef<Part> parts,
                                            const Index &column,
                                            mlir::ValueRange states);
  mlir::Value start(const Reducer &reducer);
  void define(ir::ReduceOp op, mlir::Value result);
  void emitResults();
  mlir::Value isFirst();
  bool isFull(unsigned result) const;

  void setRow(const Index &at);

  Position at(const Index &column);
  mlir::Value element(mlir::Value tensor, const Index &column);
  Index columnOf(const Index &vector) const;
  /// `body` for columns of vectors `first`, `first` + `step` ..., with carried
  /// values.
  llvm::SmallVector<mlir::Value> stride(const Index &first, int64_t step,
                                        mlir::ValueRange carried,
                                        ElementEmitter::LoopBody body);
  /// The same for this thread's columns in walk `number` of the row, or of its
  /// part; what was kept before is there.
  llvm::SmallVector<mlir::Value> walk(unsigned number, mlir::ValueRange carried,
                                      ElementEmitter::LoopBody body);
  bool isUnrolled() const;
  llvm::SmallVector<mlir::Value> unrolled(mlir::ValueRange carried,
                                          ElementEmitter::LoopBody body);
  bool isKept(const Index &column) const;
  void recall(unsigned walk, const Index &column);
  void keep(unsigned walk, const Index &column);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const Rows rows;
  const RowPlan &plan;
  const bool isInRuns;    ///< Whether no vector leaves the last dimension.
  const int64_t together; ///< Rows of a block side by side.
  const RowMemory memory;
  const int64_t inTurn; ///< Rows one after the other.
  RowJoin threads;
  llvm::SmallVector<mlir::Value> keptMemory;
  /// Of each value that is kept in registers, by turns of this row's walks.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> keptValues;
  int64_t keptTurn = 0; ///< The one that is emitted.
  /// Whether a row's reduction is repeated, in a branch that is seldom taken:
  /// it leaves what is kept alone, and registers to those that go on.
  bool isAgain = false;
  Index keptAt; ///< Where this row begins there.
  Index thread; ///< Of those that share the row, or its part.
  Index part;   ///< Which of the row this block has.
  Index number; ///< The row's.
  Position row; ///< The same as a position.
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_ROWEMITTER_H
