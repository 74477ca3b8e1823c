// SPDX-License-Identifier: Apache-2.0
// Emits single elements, or vectors of neighbouring elements, of any tensor of
// a kernel's group by asking the ops that make it, back to the kernel's inputs.

#ifndef SMP_CODEGEN_ELEMENTEMITTER_H
#define SMP_CODEGEN_ELEMENTEMITTER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "smp/codegen/Index.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Window.h"
#include <functional>
#include <map>

namespace smp::codegen {

/// The type an element is computed in: f32 for 16-bit floats, signless
/// integers.
mlir::Type computeType(mlir::Type element);
/// The type an element is stored in: i8 for i1, signless integers.
mlir::Type storageType(mlir::Type element);

/// Of a loop: what `ElementEmitter::keepLoop` says.
inline constexpr llvm::StringLiteral kKeptLoopAttr = "smp.kept_loop";

/// Values flow as scalars or as vectors of `lanes` elements: a position that
/// contains the lane variable gives a vector. 16-bit floats flow as f32 values
/// that a 16-bit float can hold.
///
/// Values are remembered per (tensor, position) within the block they were
/// emitted in and blocks inside it, so a shared operand is computed once.
class ElementEmitter {
public:
  /// `lanes`: elements per vector; `active`: how many of them exist (the rest
  /// are not loaded or stored).
  ElementEmitter(mlir::OpBuilder &builder, mlir::Location location,
                 int64_t lanes);

  mlir::OpBuilder &builder;
  mlir::Location location;
  IndexSpace space;
  const int64_t lanes;

  /// How many lanes of a vector exist, 1..lanes.
  void setActiveLanes(int64_t count) { active = count; }
  int64_t activeLanes() const { return active; }

  /// Says that memory lies on multiples of `bytes`: what follows for a vector
  /// in it is said where the vector is accessed.
  void setMemoryAlignment(int64_t bytes) { memoryAlignment = bytes; }

  /// Says that `tensor` lies in `memory`, a flat memref of its storage type.
  void bind(mlir::Value tensor, mlir::Value memory) {
    memories[tensor] = memory;
  }
  /// Says how elements of `tensor` are made, in place of its op.
  using Rule = std::function<mlir::Value(const Position &)>;
  void setRule(mlir::Value tensor, Rule rule) {
    rules[tensor] = std::move(rule);
  }
  /// Whether one of the two was said of `tensor`.
  bool isGiven(mlir::Value tensor) const {
    return memories.contains(tensor) || rules.contains(tensor);
  }
  /// Says that `tensor` at `position` is `value` in this scope.
  void define(mlir::Value tensor, const Position &position, mlir::Value value);
  /// How kernels report an index (i64) that is not below its bound, by op
  /// number `op`; called where it is reported.
  using FaultReporter =
      std::function<void(mlir::Value index, mlir::Value bound, int64_t op)>;
  void setFault(FaultReporter reporter) { fault = std::move(reporter); }

  /// The element (or vector) of `tensor` at `position`, in its compute type.
  mlir::Value element(mlir::Value tensor, const Position &position);
  /// The same as a vector, broadcast when the position has no lane.
  mlir::Value vectorElement(mlir::Value tensor, const Position &position);

  /// Loads from / stores to flat `memory` of element type `element` at
  /// `offset`.
  mlir::Value load(mlir::Value memory, mlir::Type element, const Index &offset);
  void store(mlir::Value value, mlir::Value memory, mlir::Type element,
             const Index &offset);

  //===--- building blocks for rules and strategies ----------------------===//

  mlir::Value indexConstant(int64_t value);
  /// A scalar constant of compute type for elements of type `element`.
  mlir::Value constant(mlir::Type element, double value);
  mlir::Value broadcast(mlir::Value scalar);
  /// Makes all values vectors if one of them is.
  void unify(llvm::MutableArrayRef<mlir::Value> values);
  /// Rounds a computed value to what `element` can hold.
  mlir::Value round(mlir::Value value, mlir::Type element);

  /// for (i = low; i < high; i += step) with loop-carried values. `body` gets
  /// the index and the carried values and returns the next ones. A loop that is
  /// known to run once is not emitted.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      Index, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> loop(int64_t low, int64_t high, int64_t step,
                                      mlir::ValueRange carried, LoopBody body);
  /// The same with bounds only known at run time, within min..max - 1.
  llvm::SmallVector<mlir::Value> loop(mlir::Value low, mlir::Value high,
                                      int64_t min, int64_t max,
                                      mlir::ValueRange carried, LoopBody body);
  /// Says that the loop that gives `results` is not worth several copies of its
  /// body: its turns wait for each other, or are few.
  static void keepLoop(mlir::ValueRange results);
  /// A loop without carried values.
  void loop(int64_t low, int64_t high, int64_t step,
            llvm::function_ref<void(Index)> body);

  /// Walks 0..length-1: `body` gets the index of whole vectors (with the lane),
  /// then of the elements that are left.
  void sweep(int64_t length, llvm::function_ref<void(Index)> body);

  /// `condition ? then() : otherwise()`; both give values of `types`.
  llvm::SmallVector<mlir::Value>
  branch(mlir::Value condition, mlir::TypeRange types,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> then,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> otherwise);
  /// A branch without results. A null condition always holds.
  void branch(
      mlir::Value condition, llvm::function_ref<void()> then,
      llvm::function_ref<void()> otherwise = [] {});

  /// Calls `scalar(k)` for each lane and packs the results into a vector.
  mlir::Value perLane(mlir::Type type,
                      llvm::function_ref<mlir::Value(int64_t lane)> scalar);
  /// A row-major number as a position in `sizes`.
  Position split(Index number, llvm::ArrayRef<int64_t> sizes);
  /// Each index of `position` with the lane replaced by `lane`.
  static Position atLane(const Position &position, int64_t lane);
  static bool hasLane(const Position &position);

  /// An index read from data: checked against 0..bound-1, with a fault naming
  /// op number `op` when outside, and then clamped.
  Index checkedIndex(mlir::Value value, int64_t bound, mlir::Operation *op);
  /// The check alone: whether the index, which becomes an i64, is inside.
  mlir::Value checkIndex(mlir::Value &value, int64_t bound,
                         mlir::Operation *op);

  /// The kernel's ops in order, for fault records.
  void setOpNumbers(llvm::ArrayRef<mlir::Operation *> ops);

  /// A scope for remembered values; opened for every block.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter) : emitter(emitter) {
      emitter.scopes.emplace_back();
    }
    ~Scope() { emitter.scopes.pop_back(); }

  private:
    ElementEmitter &emitter;
  };

private:
  struct Less {
    bool operator()(const std::pair<void *, Position> &a,
                    const std::pair<void *, Position> &b) const;
  };

  mlir::Value compute(mlir::Value tensor, const Position &position);
  mlir::Value emitLoads(mlir::Value memory, mlir::Type stored,
                        const Index &offset);
  /// Of a vector of `stored` that begins at `offset`; none where nothing is
  /// known of memory.
  llvm::MaybeAlign alignmentAt(const Index &offset, mlir::Type stored) const;

  int64_t active;
  int64_t memoryAlignment = 0;
  llvm::DenseMap<mlir::Value, mlir::Value> memories;
  llvm::DenseMap<mlir::Value, Rule> rules;
  llvm::DenseMap<mlir::Operation *, int64_t> opNumbers;
  FaultReporter fault;
  std::vector<std::map<std::pair<void *, Position>, mlir::Value, Less>> scopes;
};

//===----------------------------------------------------------------------===//
// Rules, a file per op family. Each gives the element of op's result at a
// position, or null when the op is not of the family.
//===----------------------------------------------------------------------===//

/// Ops of trait Elementwise, from their operands' elements.
mlir::Value emitElementwise(ElementEmitter &emitter, mlir::Operation *op,
                            llvm::SmallVector<mlir::Value> operands);
mlir::Value emitShapeOp(ElementEmitter &emitter, mlir::Operation *op,
                        const Position &position);
mlir::Value emitRandom(ElementEmitter &emitter, ir::RandomOp op,
                       const Position &position);
mlir::Value emitIndexingOp(ElementEmitter &emitter, mlir::Operation *op,
                           const Position &position);
mlir::Value emitReductionOp(ElementEmitter &emitter, mlir::Value result,
                            const Position &position);

/// Emits the reductions that `tensors` are made of elementwise, each at all of
/// `positions` (which all have the lane or none) by one loop: their operands
/// are read in runs, and no chain of additions waits for another. element()
/// remembers them in this scope.
void emitReductionsTogether(ElementEmitter &emitter, mlir::ValueRange tensors,
                            llvm::ArrayRef<Position> positions);

/// Loops over the positions of a window that lie inside the input, row-major.
/// `out` is the position in the result, one index per spatial dimension of
/// `input`; `dims` may have more dimensions than those (`high` is not asked).
/// `body` gets the position in the window, that in the input, and carried
/// values.
llvm::SmallVector<mlir::Value> windowLoops(
    ElementEmitter &emitter, const ir::WindowDims &dims,
    llvm::ArrayRef<int64_t> input, llvm::ArrayRef<Index> out,
    mlir::ValueRange carried,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(
        const Position &window, const Position &spatial, mlir::ValueRange)>
        body);

/// Whether reading a result of the elementwise op back is cheaper than
/// computing it again.
bool isDear(mlir::Operation *op);

/// Whether the emitter has a rule for this op.
bool isPullable(mlir::Operation *op);

} // namespace smp::codegen

#endif // SMP_CODEGEN_ELEMENTEMITTER_H
