// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/EqualOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "smp/ir/Placement.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
namespace {

/// Takes from ops who placed them, so that only where they are makes them
/// differ, and gives it back at its end: to what is left of merged ops a user,
/// if one placed any of them.
class OriginKeeper : public RewriterBase::ForwardingListener {
public:
  OriginKeeper(FunctionOpInterface function, NameKeeper &names)
      : ForwardingListener(&names) {
    function->walk([&](Operation *op) {
      PlacementAttr placement = getPlacement(op);
      if (!placement)
        return;
      origins[op] = placement.getOrigin();
      setPlacement(op, placement.getPartition(), Origin::Solver);
    });
  }

  ~OriginKeeper() override {
    for (auto [op, origin] : origins)
      setPlacement(op, getPlacement(op).getPartition(), origin);
  }

  void notifyOperationReplaced(Operation *op, Operation *equal) override {
    notifyOperationReplaced(op, equal->getResults());
  }
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    if (auto found = origins.find(op);
        found != origins.end() && found->second == Origin::User)
      for (Value value : values)
        if (Operation *maker = value.getDefiningOp())
          origins[maker] = Origin::User;
    ForwardingListener::notifyOperationReplaced(op, values);
  }

  void notifyOperationErased(Operation *op) override {
    origins.erase(op);
    ForwardingListener::notifyOperationErased(op);
  }

private:
  llvm::DenseMap<Operation *, Origin> origins;
};

} // namespace

void mergeEqualOps(FunctionOpInterface function, NameKeeper &keeper) {
  OriginKeeper origins(function, keeper);
  IRRewriter rewriter(function.getContext(), &origins);
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

} // namespace smp::passes
