// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/pipeline/StageSources.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

StageSources::StageSources(EntryOp entry) {
  llvm::DenseMap<StringAttr, Unit> assignedIn;
  for (auto assign : entry.getBody().getOps<AssignOp>())
    if (Unit phase = getPhase(assign); phase != Unit::Update)
      assignedIn[assign.getVariableAttr().getAttr()] = phase;
  for (auto read : entry.getBody().getOps<ReadOp>()) {
    auto found = assignedIn.find(read.getVariableAttr().getAttr());
    if (found != assignedIn.end() &&
        llvm::any_of(read->getUsers(), [&](Operation *user) {
          return getPhase(user) != found->second &&
                 getPhase(user) != Unit::Update;
        }))
      sent.insert(read);
  }
}

bool StageSources::contains(Operation *op) const {
  // A variable is read anew also where a user placed the read.
  return (isCopied(op) || isa<ReadOp>(op)) && !sent.contains(op);
}

} // namespace smp::passes
