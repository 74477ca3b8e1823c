// SPDX-License-Identifier: Apache-2.0
// How the elements of a reduction are combined, whatever the loops around.

#ifndef SMP_CODEGEN_REDUCER_H
#define SMP_CODEGEN_REDUCER_H

#include "smp/codegen/ElementEmitter.h"

namespace smp::codegen {

/// A float of compute type as f64 (exactly), and back to what `element` can
/// hold, rounded once.
mlir::Value toF64(ElementEmitter &emitter, mlir::Value value);
mlir::Value fromF64(ElementEmitter &emitter, mlir::Value value,
                    mlir::Type element);

/// The neutral value of a reduction and how two parts of it combine, in compute
/// type.
mlir::Value neutralValue(ElementEmitter &emitter, ir::ReduceKind kind,
                         mlir::Type element);
mlir::Value combine(ElementEmitter &emitter, ir::ReduceKind kind,
                    mlir::Type element, mlir::Value a, mlir::Value b);

/// Combines the elements of a reduction. What it has so far is a state, a value
/// or vector that only it understands: of a maximum of floats the negated one,
/// since x86's minimum costs less; of a product of floats an f64.
class Reducer {
public:
  Reducer(ElementEmitter &emitter, ir::ReduceKind kind, mlir::Type element)
      : Reducer(emitter, kind, element, /*isWide=*/false) {}

  /// Whether elements are taken in row-major order, so that states are not
  /// joined: a product of floats may overflow midway.
  static bool isSequential(ir::ReduceKind kind, mlir::Type element);
  bool isSequential() const { return isSequential(kind, element); }

  /// Whether parts of a finite sum may be infinite.
  static bool mayOverflow(ir::ReduceKind kind, mlir::Type element);
  bool mayOverflow() const { return !isWide && mayOverflow(kind, element); }
  /// The same reduction with sums no part of which overflows.
  Reducer wider() const { return {emitter, kind, element, /*isWide=*/true}; }
  bool isWider() const { return isWide; }

  /// What states are of, where they are stored.
  static mlir::Type stateElement(ir::ReduceKind kind, mlir::Type element);
  mlir::Type stateElement() const;

  mlir::Value start() const;
  /// The state with one more element, which is of compute type.
  mlir::Value add(mlir::Value state, mlir::Value x) const;
  mlir::Value join(mlir::Value a, mlir::Value b) const;

  /// The result in compute type. Where a sum is not finite because a part of it
  /// was not, `again` takes all elements once more, with another reducer, and
  /// gives the state.
  mlir::Value
  finish(mlir::Value state,
         llvm::function_ref<mlir::Value(const Reducer &)> again) const;
  /// The state that wider() has of the elements of `state`. Where that is not
  /// finite, `again` takes them once more.
  mlir::Value
  widen(mlir::Value state,
        llvm::function_ref<mlir::Value(const Reducer &)> again) const;

private:
  Reducer(ElementEmitter &emitter, ir::ReduceKind kind, mlir::Type element,
          bool isWide)
      : emitter(emitter), kind(kind), element(element), isWide(isWide) {}

  bool isNegated() const;
  bool isInF64() const { return isWide || isSequential(); }
  mlir::Value result(mlir::Value state) const;
  mlir::Value chooseFinite(
      mlir::Value sum, mlir::Value finite,
      llvm::function_ref<mlir::Value(const Reducer &)> otherwise) const;

  ElementEmitter &emitter;
  ir::ReduceKind kind;
  mlir::Type element;
  bool isWide; ///< Sums no part of which overflows.
};

} // namespace smp::codegen

#endif // SMP_CODEGEN_REDUCER_H
