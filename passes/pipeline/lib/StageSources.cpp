// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/pipeline/StageSources.h"
#include "smp/passes/pipeline/EntryFlow.h"

using namespace mlir;

namespace smp::passes {

StageSources::StageSources(ir::EntryOp entry) {
  const EntryFlow flow = flowOf(entry);
  const std::vector<bool> isSource = stageSources(flow.graph);
  for (auto [index, op] : llvm::enumerate(flow.ops))
    if (isSource[index])
      sources.insert(op);
}

} // namespace smp::passes
