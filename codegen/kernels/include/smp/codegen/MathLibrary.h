// SPDX-License-Identifier: Apache-2.0
// Elementary functions as plain arithmetic, for kernels that import nothing.

#ifndef SMP_CODEGEN_MATHLIBRARY_H
#define SMP_CODEGEN_MATHLIBRARY_H

#include "mlir/IR/Builders.h"

namespace smp::codegen {

/// Each function emits arith and vector ops (and LLVM intrinsics that are one
/// instruction on every level) at the builder's insertion point. `x` is a
/// scalar or a fixed 1-D vector of f32 or f64; the result has its type, and a
/// scalar rounds as a lane of a vector does on the same level.
///
/// NaN gives NaN, infinities and signed zeros what C's functions give, overflow
/// an infinity, underflow a subnormal number or zero. Errors are at most 2
/// units in the last place for f32 (2.1 for erf on v2) and 3 for f64, as
/// tests/unit/codegen/MathLibraryTest measures them. sin, cos and tan: f32
/// for any argument, f64 for |x| <= 2^45 and NaN beyond.
using UnaryMath = mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value x);
using BinaryMath = mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value x,
                               mlir::Value y);

UnaryMath emitExp, emitExpm1, emitLog, emitLog1p, emitTanh, emitErf;
UnaryMath emitSin, emitCos, emitTan, emitAsin, emitAcos, emitAtan;
UnaryMath emitSinh, emitCosh, emitAsinh, emitAcosh, emitAtanh;
UnaryMath emitSqrt, emitRsqrt, emitFloor, emitCeil, emitRoundEven;
BinaryMath emitPow;
/// C's fmod: the sign is x's. Exact. A loop (scf.while) of as many turns as the
/// exponents of x and y are apart.
BinaryMath emitFmod;

/// The larger and the smaller; a NaN if either is, and -0 is less than +0.
BinaryMath emitMaximum, emitMinimum;
/// Of a function: its target has these of f32 as instructions.
inline constexpr llvm::StringLiteral kHasExtremesAttr = "smp.has_extremes";
/// Whether they are instructions for values of `type` where `builder` is.
bool hasExtremes(mlir::OpBuilder &builder, mlir::Type type);

/// x * y + z: one rounding where the level has fused multiply-add, two on v2.
/// Scalars and vectors alike.
mlir::Value emitFma(mlir::OpBuilder &, mlir::Location, mlir::Value x,
                    mlir::Value y, mlir::Value z);

/// 16-bit floats are carried as i16 (or vectors of it). Widening is exact;
/// narrowing rounds to nearest even and keeps NaN.
UnaryMath emitBF16ToF32, emitF16ToF32, emitF32ToBF16, emitF32ToF16;
/// From f64 with one rounding, which two narrowings do not give.
UnaryMath emitF64ToBF16, emitF64ToF16;
/// An f64 rounded once to a float of type `element`, in the type that this is
/// computed in.
mlir::Value emitFromF64(mlir::OpBuilder &, mlir::Location, mlir::Value x,
                        mlir::Type element);

/// Float to integer of `width` bits, truncating; out of range becomes the
/// nearest bound, NaN 0. Integer to float of type `element` rounds to nearest
/// even, once; the result is of the type that `element` is computed in.
mlir::Value emitFloatToInt(mlir::OpBuilder &, mlir::Location, mlir::Value x,
                           unsigned width, bool isSigned);
mlir::Value emitIntToFloat(mlir::OpBuilder &, mlir::Location, mlir::Value x,
                           mlir::Type element, bool isSigned);

} // namespace smp::codegen

#endif // SMP_CODEGEN_MATHLIBRARY_H
