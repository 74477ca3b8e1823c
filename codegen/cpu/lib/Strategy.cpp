// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/cpu/Strategy.h"

using namespace mlir;

namespace smp::codegen::cpu {

using Emit = LaunchShape (*)(ModuleOp, ir::GroupOp, StringRef, const Level &);

FailureOr<LaunchShape> emitKernel(ModuleOp module, ir::GroupOp group,
                                  StringRef symbol, const Level &level) {
  static constexpr std::pair<StringLiteral, Emit> strategies[] = {
      {"concat", emitConcatKernel},   {"depthwise", emitDepthwiseKernel},
      {"loop", emitLoopKernel},       {"pack", emitPackKernel},
      {"pad", emitPadKernel},         {"product", emitProductKernel},
      {"row", emitRowKernel},         {"scan", emitScanKernel},
      {"scatter", emitScatterKernel}, {"sort", emitSortKernel},
  };
  for (auto [name, emit] : strategies)
    if (group.getKernel() == name)
      return emit(module, group, symbol, level);
  return group.emitOpError()
         << "names the kernel strategy '" << group.getKernel()
         << "', which the CPU target does not have";
}

} // namespace smp::codegen::cpu
