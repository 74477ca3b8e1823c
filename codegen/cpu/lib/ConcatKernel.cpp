// SPDX-License-Identifier: Apache-2.0
// Strategy "concat": each operand is copied to its part of the result. Both are
// runs: what lies at and behind the axis is contiguous in each.

#include "Product.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Copies `length` elements between two offsets, in vectors.
static void emitCopy(KernelFunction &kernel, Value from, const Index &source,
                     const Index &target, Type element, int64_t length) {
  ElementEmitter &emitter = kernel.emitter;
  emitter.sweep(length, [&](Index i) {
    emitter.store(emitter.load(from, element, source + i),
                  kernel.resultMemory(0), element, target + i);
  });
}

LaunchShape emitConcatKernel(ModuleOp module, ir::GroupOp group,
                             StringRef symbol, const Level &level) {
  auto concat = *group.getBody().getOps<ir::ConcatOp>().begin();
  auto type = ir::tensorOf(concat);
  Type element = type.getElementType();
  int64_t lanes =
      level.vectorBytes * 8 / storageType(element).getIntOrFloatBitWidth();
  KernelFunction kernel(module, group, symbol, level, lanes);
  int64_t rows = 1, inner = 1;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    (dim < concat.getAxis() ? rows : inner) *= size;
  constexpr int64_t kTileElements = 32768;
  int64_t perTile = std::clamp<int64_t>(kTileElements / inner, 1, rows);
  while (rows % perTile)
    --perTile;
  Index first = kernel.tile(0, rows / perTile) * perTile;
  kernel.emitter.loop(0, perTile, 1, [&](Index r) {
    int64_t start = 0;
    for (Value input : concat.getInputs()) {
      int64_t length = ir::tensorOf(input).getNumElements() / rows;
      Value memory =
          kernel.inputMemory(cast<BlockArgument>(input).getArgNumber());
      emitCopy(kernel, memory, (first + r) * length,
               (first + r) * inner + Index(start), element, length);
      start += length;
    }
  });
  return kernel.launch;
}

} // namespace smp::codegen::cpu
