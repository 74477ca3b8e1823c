// SPDX-License-Identifier: Apache-2.0
// Makes the ops that run once per step, after all microbatches.

#ifndef SMP_PASSES_TRAINING_LIB_UPDATEBUILDER_H
#define SMP_PASSES_TRAINING_LIB_UPDATEBUILDER_H

#include "ReverseMode.h"
#include "smp/ir/Constants.h"

namespace smp::passes {

/// Builds before an entry's return. What it makes is of unit `update`; what
/// between two beginPart() calls, of one origin: it stays on one partition.
class UpdateBuilder : private mlir::OpBuilder::Listener {
public:
  UpdateBuilder(ir::EntryOp entry, OriginNumbers &origins);

  /// Begins a part that is named after `location`.
  void beginPart(mlir::Location location);
  /// Goes on with an earlier part as long as it lives.
  class Within {
  public:
    Within(UpdateBuilder &builder, int64_t part);
    ~Within();
    Within(const Within &) = delete;

  private:
    UpdateBuilder &builder;
    int64_t before;
  };
  int64_t part() const { return current; }
  mlir::MLIRContext *getContext() const { return builder.getContext(); }
  mlir::Type getF32() const {
    return mlir::Float32Type::get(builder.getContext());
  }

  template <typename OpTy, typename... Args>
  mlir::Value make(Args &&...args) {
    return OpTy::create(builder, location, std::forward<Args>(args)...);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return make<ir::AddOp>(x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return make<ir::SubOp>(x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return make<ir::MulOp>(x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return make<ir::DivOp>(x, y);
  }
  /// A number of the type of `like`.
  mlir::Value number(mlir::Value like, double value) {
    return ir::splat(builder, location, like.getType(), value);
  }
  mlir::Value convert(mlir::Value x, mlir::Type element);
  /// One number for every element of `like`.
  mlir::Value spread(mlir::Value scalar, mlir::Value like);

  mlir::Value read(ir::VariableOp variable);
  /// Assigns, unless the guard does not hold: then the variable stays.
  void assign(ir::VariableOp variable, mlir::Value value);
  void assignAlways(ir::VariableOp variable, mlir::Value value);
  /// From now on assignments depend on this, an i1.
  void setGuard(mlir::Value condition) { guard = condition; }
  /// The variable of this name, which is declared if there is none yet. Fails
  /// when there is one of another kind, type or first value.
  mlir::FailureOr<ir::VariableOp> variable(const llvm::Twine &name,
                                           mlir::RankedTensorType type,
                                           ir::VariableKind kind,
                                           double initial);
  /// Returns `value` from the entry under this name.
  mlir::LogicalResult addResult(llvm::StringRef name, mlir::Value value);

private:
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override;

  ir::EntryOp entry;
  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  mlir::Location location;
  OriginNumbers &origins;
  int64_t current = -1;
  mlir::Value guard; ///< Null: none.
};

} // namespace smp::passes

#endif // SMP_PASSES_TRAINING_LIB_UPDATEBUILDER_H
