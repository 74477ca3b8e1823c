// SPDX-License-Identifier: Apache-2.0
#include "WideConcats.h"
#include "mlir/IR/Builders.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"

using namespace mlir;

namespace smp::passes {

/// Concats of neighbours among `parts`, as few as can be.
static SmallVector<Value> joinNeighbours(ir::ConcatOp whole,
                                         ArrayRef<Value> parts) {
  OpBuilder b(whole);
  SmallVector<Value> joined;
  while (!parts.empty()) {
    ArrayRef<Value> some = parts.take_front(kMostConcatOperands);
    parts = parts.drop_front(some.size());
    if (some.size() == 1) {
      joined.push_back(some.front());
      continue;
    }
    auto part = ir::ConcatOp::create(b, ir::partOf(whole.getLoc()), some,
                                     whole.getAxis());
    part->setDiscardableAttrs(whole->getDiscardableAttrDictionary());
    joined.push_back(part);
  }
  return joined;
}

void splitWideConcats(Block &block) {
  for (auto concat : llvm::to_vector(block.getOps<ir::ConcatOp>())) {
    SmallVector<Value> parts(concat.getInputs());
    while (parts.size() > kMostConcatOperands)
      parts = joinNeighbours(concat, parts);
    if (parts.size() < concat.getInputs().size())
      concat->setOperands(parts);
  }
}

} // namespace smp::passes
