// SPDX-License-Identifier: Apache-2.0
// The instruction levels that CPU kernels are compiled for.

#ifndef SMP_CODEGEN_CPU_LEVEL_H
#define SMP_CODEGEN_CPU_LEVEL_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace smp::codegen::cpu {

/// A psABI level of x86-64. What is chosen by level decides bits (reduction
/// trees, fused multiply-add), so a level is part of a device's kind.
struct Level {
  llvm::StringLiteral name; ///< "v2", "v3", "v4".
  llvm::StringLiteral cpu;  ///< LLVM's target-cpu.
  int64_t vectorBytes;      ///< Of one register.
  int64_t vectorRegisters;

  /// Elements of `type` per vector register.
  int64_t lanes(mlir::Type type) const {
    return vectorBytes * 8 / type.getIntOrFloatBitWidth();
  }
};

/// Of memory, what comes into a cache together.
inline constexpr int64_t kLineBytes = 64;

/// Ascending.
llvm::ArrayRef<Level> levels();

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_LEVEL_H
