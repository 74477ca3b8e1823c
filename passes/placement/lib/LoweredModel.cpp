// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/LoweredModel.h"
#include "GroupFlow.h"
#include "mlir/IR/Builders.h"
#include "smp/ir/Costs.h"
#include "smp/ir/ModelOps.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Target.h"
#include "smp/passes/Derived.h"
#include "smp/passes/EntryWeights.h"
#include "smp/passes/EqualOps.h"
#include "smp/passes/fusion/GroupBoundary.h"
#include "smp/passes/training/Recompute.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

/// Calls visit(op) for each op that has a number, in their order.
static void visitOps(ModuleOp module,
                     llvm::function_ref<void(Operation *)> visit) {
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op : entry.getBody().front().without_terminator())
      visit(&op);
}

Assignment assignmentOf(ModuleOp module) {
  Assignment assignment;
  assignment.partitions = uint32_t(getNumPartitions(module));
  visitOps(module, [&](Operation *op) {
    PlacementAttr placement = getPlacement(op);
    assignment.partitionOf.push_back(placement.isAll()
                                         ? FlowGraph::kEverywhere
                                         : int32_t(placement.getPartition()));
    assignment.isPinned.push_back(placement.isUser());
  });
  return assignment;
}

OwningOpRef<ModuleOp> numberedCopy(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  Builder b(module.getContext());
  int64_t number = 0;
  visitOps(*copy, [&](Operation *op) {
    op->removeAttr(kSecondsAttr);
    op->setAttr(kModelOpAttr, b.getI64IntegerAttr(number++));
    if (PlacementAttr placement = getPlacement(op);
        placement && !placement.isAll())
      op->removeAttr(kPlacementAttr);
  });
  return copy;
}

void forgetDerivedNumbers(ModuleOp module) {
  DerivedValues derived(module);
  // What an entry gives, and what ops on all partitions take, comes from where
  // it is.
  llvm::SetVector<Operation *> given;
  auto keep = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        given.insert(maker);
  };
  for (auto entry : module.getOps<EntryOp>())
    keep(entry.getBody().front().getTerminator());
  visitOps(module, [&](Operation *op) {
    if (PlacementAttr placement = getPlacement(op);
        placement && placement.isAll())
      keep(op);
  });
  for (size_t i = 0; i < given.size(); ++i)
    if (llvm::any_of(given[i]->getResults(), [&](Value result) {
          return derived.needsVariables(result);
        }))
      keep(given[i]);
  visitOps(module, [&](Operation *op) {
    if (!isSource(op) && !given.contains(op) && op->getNumResults() > 0 &&
        llvm::all_of(op->getResults(), [&](Value result) {
          return derived.needsVariables(result);
        }))
      op->removeAttr(kModelOpAttr);
  });
}

static std::optional<size_t> numberIn(Operation *op) {
  auto number = op->getAttrOfType<IntegerAttr>(kModelOpAttr);
  return number ? std::optional(size_t(number.getInt())) : std::nullopt;
}

/// A view of what each partition has costs nothing: each user gets one of its
/// own, as it would from smp-hoist-prepare and smp-insert-transfers.
static void giveViewsToUsers(EntryOp entry) {
  SmallVector<Operation *> views;
  for (Operation &op : entry.getBody().front())
    if (roleOf(&op) == OpRole::Alias)
      if (Operation *root = aliased(op.getOperand(0)).getDefiningOp();
          root && isSource(root))
        views.push_back(&op);
  for (Operation *view : llvm::reverse(views))
    for (OpOperand &use : llvm::make_early_inc_range(view->getUses())) {
      if (view->hasOneUse() && numberIn(view) == numberIn(use.getOwner()))
        break;
      OpBuilder b(use.getOwner());
      Operation *copy = b.clone(*view);
      copy->setLoc(partOf(view->getLoc()));
      copy->removeAttr(kModelOpAttr);
      inheritDerivation(use.getOwner(), copy);
      use.set(copy->getResult(0));
    }
  for (Operation *view : llvm::reverse(views))
    if (view->use_empty())
      view->erase();
}

static size_t countOps(ModuleOp module) {
  size_t count = 0;
  visitOps(module, [&](Operation *) { ++count; });
  return count;
}

/// Merges equal ops on one partition, whatever they derive from: where they
/// are must have been said before.
static void mergeEqualOps(ModuleOp module) {
  visitOps(module, [](Operation *op) { op->removeAttr(kModelOpAttr); });
  NameKeeper keeper;
  for (auto entry : module.getOps<EntryOp>())
    mergeEqualOps(entry, keeper);
}

LoweredModel::LoweredModel(OwningOpRef<ModuleOp> copy, const CostModel &costs,
                           TemporariesOf temporariesOf)
    : lowered(std::move(copy)), costs(costs),
      temporariesOf(std::move(temporariesOf)) {
  signer = std::make_unique<GroupSigner>(lowered->getContext());
  OwningOpRef<ModuleOp> merged = lowered->clone();
  mergeEqualOps(*merged);
  hasEqualOps = countOps(*merged) < countOps(*lowered);
  for (auto variable : lowered->getOps<VariableOp>()) {
    numberOf[variable.getSymNameAttr()] = uint32_t(variables.size());
    variables.push_back({bytesOf(variable.getType()),
                         variable.getKind() == VariableKind::Accumulator});
  }
}

std::unique_ptr<LoweredModel> LoweredModel::of(OwningOpRef<ModuleOp> lowered,
                                               const CostModel &costs,
                                               TemporariesOf temporariesOf) {
  for (auto entry : lowered->getOps<EntryOp>())
    giveViewsToUsers(entry);
  for (Operation &op : *lowered->getBody())
    if (isa<EntryOp, StageOp>(op) &&
        failed(arrangeForGroups(op.getRegion(0).front())))
      return nullptr;
  return std::unique_ptr<LoweredModel>(
      new LoweredModel(std::move(lowered), costs, std::move(temporariesOf)));
}

/// What has no number of its own is where it is used first.
static void place(EntryOp entry, const Assignment &assignment) {
  for (Operation &op :
       llvm::reverse(entry.getBody().front().without_terminator())) {
    int64_t partition = 0;
    Origin origin = Origin::Solver;
    if (std::optional<size_t> number = numberIn(&op)) {
      partition = assignment.partitionOf[*number];
      if (assignment.isPinned[*number])
        origin = Origin::User;
    } else {
      Operation *first = nullptr;
      for (Operation *user : op.getUsers())
        if (getPlacement(user) && (!first || user->isBeforeInBlock(first)))
          first = user;
      partition = first ? getPlacement(first).getPartition() : 0;
    }
    setPlacement(&op,
                 partition == FlowGraph::kEverywhere
                     ? int64_t(PlacementAttr::kAll)
                     : partition,
                 origin);
  }
}

ModuleOp LoweredModel::onOnePartition() {
  for (auto entry : lowered->getOps<EntryOp>())
    for (Operation &op : entry.getBody().front().without_terminator())
      if (PlacementAttr placement = getPlacement(&op);
          !placement || !placement.isAll())
        setPlacement(&op, 0, Origin::Solver);
  return *lowered;
}

/// Whether microbatches of the tensor can be in pieces.
static bool isInPieces(Type type, DictionaryAttr attributes) {
  auto axis = attributes ? attributes.getAs<IntegerAttr>(kBatchAxisAttr)
                         : IntegerAttr();
  return axis &&
         llvm::any_of(cast<RankedTensorType>(type).getShape().take_front(
                          size_t(axis.getInt())),
                      [](int64_t size) { return size > 1; });
}

ProgramFlow LoweredModel::plan(const Assignment &assignment) {
  for (auto entry : lowered->getOps<EntryOp>())
    place(entry, assignment);
  if (!hasEqualOps)
    return flowOf(*lowered, assignment);
  OwningOpRef<ModuleOp> merged = lowered->clone();
  mergeEqualOps(*merged);
  return flowOf(*merged, assignment);
}

std::vector<int64_t> LoweredModel::temporaries(const Group &group,
                                               const GroupBoundary &boundary,
                                               TargetAttr target) {
  auto [found, isNew] = knownTemporaries.try_emplace(
      {signer->digestOf(group, boundary), target.getAsOpaquePointer()});
  if (isNew)
    signer->show(group, boundary, target,
                 [&](GroupOp op) { found->second = temporariesOf(op); });
  return found->second;
}

ProgramFlow LoweredModel::flowOf(ModuleOp placed,
                                 const Assignment &assignment) {
  ProgramFlow program;
  program.partitions = assignment.partitions;
  program.stageSeconds = costs.stageSeconds();
  program.variables = variables;
  llvm::DenseMap<Attribute, uint32_t> constants;
  auto subjectOf = [&](Operation *op) -> uint32_t {
    if (auto read = dyn_cast<ReadOp>(op))
      return numberOf.at(read.getVariableAttr().getAttr());
    if (auto assign = dyn_cast<AssignOp>(op))
      return numberOf.at(assign.getVariableAttr().getAttr());
    if (auto prepared = dyn_cast<PreparedOp>(op))
      return uint32_t(prepared.getIndex());
    auto constant = cast<ConstantOp>(op);
    auto [found, isNew] = constants.try_emplace(
        constant.getValue(), uint32_t(program.constantBytes.size()));
    if (isNew)
      program.constantBytes.push_back(bytesOf(constant.getType()));
    return found->second;
  };
  auto isPinnedSource = [&](Operation *op) {
    PlacementAttr placement = getPlacement(op);
    return placement && placement.isUser();
  };
  std::optional<VariableUsers> users; // Few models ask.
  auto runsOnce = [&](Operation *op) {
    if (!users)
      users.emplace(placed);
    return isa<AssignOp>(op) ||
           llvm::any_of(users->variables(op), [&](StringAttr variable) {
             return users->isAssigned(variable);
           });
  };
  auto temporariesOfGroup = [&](const Group &group,
                                const GroupBoundary &boundary) {
    // What is made wherever it is needed takes the most that it may.
    const PlacementAttr placement = getPlacement(group.ops.front());
    const bool isAnywhere = !placement || placement.isAll();
    const int64_t first = isAnywhere ? 0 : placement.getPartition();
    const int64_t end = isAnywhere ? assignment.partitions : first + 1;
    std::vector<int64_t> most;
    for (int64_t p = first; p < end; ++p)
      most = std::max(most, temporaries(group, boundary, targetOf(placed, p)),
                      [](const auto &a, const auto &b) {
                        return std::accumulate(a.begin(), a.end(), int64_t(0)) <
                               std::accumulate(b.begin(), b.end(), int64_t(0));
                      });
    return most;
  };
  const FlowNames names{costs,          *signer,  subjectOf,
                        isPinnedSource, runsOnce, temporariesOfGroup};
  for (auto stage : placed.getOps<StageOp>()) {
    if (stage.getUnit() != ir::Unit::Prepare)
      continue;
    program.prepare = groupFlowOf(stage.getBody().front(), names);
    for (Type type : stage.getResultTypes())
      program.preparedBytes.push_back(bytesOf(type));
  }
  const EntryWeights weights(placed);
  for (auto entry : placed.getOps<EntryOp>()) {
    FlowGraph graph = groupFlowOf(entry.getBody().front(), names);
    if (auto count = entry->getAttrOfType<IntegerAttr>(kMicrobatchesAttr))
      graph.microbatches = uint32_t(count.getInt());
    graph.weight = weights.of(entry);
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      graph.values[i].isInPieces = isInPieces(type, entry.getArgAttrDict(i));
    for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
      graph.results[i].isInPieces =
          isInPieces(type, entry.getResultAttrDict(i));
    program.entries.push_back(std::move(graph));
  }
  return program;
}

//===----------------------------------------------------------------------===//
// Values that are computed again
//===----------------------------------------------------------------------===//

ModelPlans::ModelPlans(OwningOpRef<ModuleOp> lowered,
                       std::unique_ptr<LoweredModel> usual,
                       const CostModel &costs, TemporariesOf temporariesOf,
                       PipelineChoice pipeline)
    : lowered(std::move(lowered)), usual(std::move(usual)), costs(costs),
      temporariesOf(std::move(temporariesOf)), pipeline(pipeline),
      evaluator(*this->usual, pipeline) {}

std::unique_ptr<ModelPlans> ModelPlans::of(OwningOpRef<ModuleOp> lowered,
                                           const CostModel &costs,
                                           TemporariesOf temporariesOf,
                                           PipelineChoice pipeline) {
  auto usual = LoweredModel::of(lowered->clone(), costs, temporariesOf);
  if (!usual)
    return nullptr;
  return std::unique_ptr<ModelPlans>(
      new ModelPlans(std::move(lowered), std::move(usual), costs,
                     std::move(temporariesOf), pipeline));
}

std::optional<PlanFigures> ModelPlans::evaluate(ModuleOp placed) {
  const Assignment assignment = assignmentOf(placed);
  std::vector<bool> isMarked;
  visitOps(placed, [&](Operation *op) {
    isMarked.push_back(op->hasAttr(kRecomputeAttr));
  });
  if (!llvm::is_contained(isMarked, true))
    return evaluator.evaluate(assignment);
  OwningOpRef<ModuleOp> copy = lowered->clone();
  visitOps(*copy, [&](Operation *op) {
    if (auto number = numberIn(op); number && isMarked[*number])
      op->setAttr(kRecomputeAttr, mlir::UnitAttr::get(op->getContext()));
  });
  recompute(*copy);
  auto changed = LoweredModel::of(std::move(copy), costs, temporariesOf);
  return changed ? evaluatePlan(changed->plan(assignment), pipeline)
                 : std::nullopt;
}

} // namespace smp::passes
