// SPDX-License-Identifier: Apache-2.0
// Strategy "loop": each element of the results by itself.

#include "Strategy.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

void storeElements(KernelFunction &kernel, const Position &at) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < kernel.numResults(); ++i)
    values.push_back(kernel.emitter.element(kernel.result(i), at));
  for (auto [i, value] : llvm::enumerate(values))
    kernel.storeResult(unsigned(i), value, at);
}

void emitLoopKernel(KernelFunction &kernel) {
  auto type = ir::tensorOf(kernel.group->getResult(0));
  kernel.forEach(type.getNumElements(), [&](Index number) {
    storeElements(kernel, kernel.emitter.split(number, type.getShape()));
  });
}

} // namespace smp::codegen::cuda
