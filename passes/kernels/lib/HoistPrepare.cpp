// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Target.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/Derived.h"
#include "smp/passes/EqualOps.h"
#include "smp/passes/kernels/Passes.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_HOISTPREPAREPASS
#include "smp/passes/kernels/Passes.h.inc"

namespace {

/// Whether an op costs nothing where its result is used: it stays in the step.
/// Such ops have one operand at most.
bool isCheapView(Operation *op) { return ir::isView(op) || ir::isSource(op); }

/// On an op of a prepare stage, while it is filled: entryOf() of its original.
constexpr StringLiteral kOfEntryAttr = "smp.of_entry";

/// The prepare stage of one partition, while it is filled.
struct PrepareStage {
  SmallVector<Value> values; ///< In entries: what the stage computes.
  llvm::DenseMap<Value, int64_t> index;
  SmallVector<int64_t> results; ///< Of each value, the stage's result.
};

struct HoistPrepare : impl::HoistPreparePassBase<HoistPrepare> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    DerivedValues derived(module);
    llvm::MapVector<int64_t, PrepareStage> stages;
    SmallVector<ir::EntryOp> entries(module.getOps<ir::EntryOp>());
    for (ir::EntryOp entry : entries)
      collect(entry, derived, stages);
    // All stages are copied from the entries before uses in them change: what
    // one partition needs may be computed from what another has prepared.
    for (auto &[partition, stage] : stages)
      outline(module, partition, stage);
    for (auto &[partition, stage] : stages)
      for (auto [i, value] : llvm::enumerate(stage.values))
        replaceUses(value, partition, stageName(partition), stage.results[i]);
    for (ir::EntryOp entry : entries)
      eraseUnused(entry);
  }

  /// Finds the values to prepare: derived from variables, by more than a view,
  /// and used by something that is not.
  void collect(ir::EntryOp entry, DerivedValues &derived,
               llvm::MapVector<int64_t, PrepareStage> &stages) {
    for (Operation &op : entry.getBody().front()) {
      // What is prepared does not depend on who watches.
      if (ir::isWatcher(&op))
        continue;
      if (op.getNumResults() == 0 ||
          llvm::all_of(op.getResults(),
                       [&](Value result) { return derived.contains(result); }))
        if (!isa<ir::ReturnOp, ir::AssignOp>(op))
          continue;
      for (OpOperand &operand : op.getOpOperands()) {
        bringView(operand, derived);
        require(operand.get(), &op, derived, stages);
      }
    }
  }

  /// A view of another partition shows what that one prepares: the user gets
  /// one of its own.
  void bringView(OpOperand &use, DerivedValues &derived) {
    for (OpOperand *next = &use; next;) {
      Operation *copy = copyView(*next, derived);
      next = copy ? &copy->getOpOperand(0) : nullptr;
    }
  }

  Operation *copyView(OpOperand &use, DerivedValues &derived) {
    Operation *view = use.get().getDefiningOp(), *user = use.getOwner();
    if (!view || view->getNumOperands() == 0 || !isCheapView(view) ||
        !derived.needsVariables(use.get()))
      return nullptr;
    ir::PlacementAttr to = ir::getPlacement(user),
                      from = ir::getPlacement(view);
    if (!to || !from || to.isAll() || to.getPartition() == from.getPartition())
      return nullptr;
    OpBuilder b(user);
    Operation *copy = b.clone(*view);
    copy->setLoc(ir::partOf(view->getLoc()));
    ir::setPlacement(copy, to.getPartition(), ir::Origin::Propagated);
    use.set(copy->getResult(0));
    return copy;
  }

  /// Asks the prepare stages of the partitions that `user` runs on for `value`,
  /// or, if it is a view, for what it shows.
  void require(Value value, Operation *user, DerivedValues &derived,
               llvm::MapVector<int64_t, PrepareStage> &stages) {
    Operation *op = value.getDefiningOp();
    for (; op && isCheapView(op); op = value.getDefiningOp()) {
      if (op->getNumOperands() == 0)
        return;
      value = op->getOperand(0);
    }
    if (!op || !derived.needsVariables(value))
      return;
    std::optional<int64_t> partition = partitionOf(user, op);
    if (!partition || !isMadeFor(*partition, op))
      return;
    PrepareStage &stage = stages[*partition];
    if (stage.index.try_emplace(value, stage.values.size()).second)
      stage.values.push_back(value);
  }

  /// Whether the op and what it is computed from are in the form that the
  /// partition's target takes. What another target's passes have formed is
  /// computed in the step, where it is.
  static bool isMadeFor(int64_t partition, Operation *op) {
    auto module = op->getParentOfType<ModuleOp>();
    auto targets = module->getAttrOfType<ArrayAttr>(ir::kTargetsAttr);
    if (!targets || llvm::all_equal(targets))
      return true;
    const ir::TargetAttr target = ir::targetOf(module, partition);
    bool isAlike = true;
    llvm::SmallPtrSet<Operation *, 16> seen{op};
    ir::visitProducersFirst(
        op,
        [&](Value used) { return seen.insert(used.getDefiningOp()).second; },
        [&](Operation *next) { isAlike &= ir::targetOf(next) == target; });
    return isAlike;
  }

  /// Where a value is needed: its user's partition. What runs on every device
  /// computes what it needs in the step.
  static std::optional<int64_t> partitionOf(Operation *user, Operation *op) {
    ir::PlacementAttr placement = ir::getPlacement(user);
    if (!placement)
      placement = ir::getPlacement(op);
    if (!placement)
      return 0;
    return placement.isAll() ? std::nullopt
                             : std::optional(placement.getPartition());
  }

  static std::string stageName(int64_t partition) {
    return "prepare_" + std::to_string(partition);
  }

  /// Makes the stage of a partition. What an entry and its twins need alike is
  /// one result.
  void outline(ModuleOp module, int64_t partition, PrepareStage &stage) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    for (Operation &op : *module.getBody())
      if (isa<ir::VariableOp>(op))
        b.setInsertionPointAfter(&op);
    auto function = ir::StageOp::create(
        b, module.getLoc(), stageName(partition), b.getFunctionType({}, {}),
        /*arg_attrs=*/nullptr,
        /*res_attrs=*/nullptr, uint64_t(partition), ir::Unit::Prepare);
    b.createBlock(&function.getBody());
    IRMapping mapping;
    SmallVector<Value> results;
    for (Value value : stage.values)
      results.push_back(cloneInto(b, value, mapping));
    auto end = ir::ReturnOp::create(b, module.getLoc(), results);
    mergeEqual(module, function);
    llvm::DenseMap<Value, int64_t> number;
    SmallVector<Value> different;
    for (Value result : end.getValues()) {
      auto [at, isNew] = number.try_emplace(result, int64_t(different.size()));
      if (isNew)
        different.push_back(result);
      stage.results.push_back(at->second);
    }
    end->setOperands(different);
    function.setFunctionType(
        b.getFunctionType({}, ValueRange(different).getTypes()));
  }

  /// Ops of an entry and its twins: those of other entries are counted one by
  /// one where placements are evaluated.
  static void mergeEqual(ModuleOp module, ir::StageOp function) {
    NameKeeper keeper;
    mergeEqualOps(function, keeper);
    keeper.finish(module);
    function.walk([](Operation *op) { op->removeAttr(kOfEntryAttr); });
  }

  Value cloneInto(OpBuilder &b, Value value, IRMapping &mapping) {
    if (!mapping.contains(value))
      ir::visitProducersFirst(
          value.getDefiningOp(),
          [&](Value used) { return !mapping.contains(used); },
          [&](Operation *op) {
            b.clone(*op, mapping)->setAttr(kOfEntryAttr, entryOf(op));
          });
    return mapping.lookup(value);
  }

  /// The name of the entry that the op is of; of a twin the other's.
  static StringAttr entryOf(Operation *op) {
    auto entry = op->getParentOfType<ir::EntryOp>();
    auto twinOf = entry->getAttrOfType<FlatSymbolRefAttr>(ir::kTwinOfAttr);
    return twinOf ? twinOf.getAttr() : entry.getSymNameAttr();
  }

  void replaceUses(Value value, int64_t partition, StringRef stage,
                   int64_t index) {
    OpBuilder b(value.getDefiningOp());
    auto prepared = ir::PreparedOp::create(b, value.getLoc(), value.getType(),
                                           stage, index);
    ir::setPlacement(prepared, partition, ir::Origin::Propagated);
    ir::inheritDerivation(value.getDefiningOp(), prepared);
    value.replaceUsesWithIf(prepared.getValue(), [&](OpOperand &use) {
      return partitionOf(use.getOwner(), value.getDefiningOp()) == partition;
    });
    if (prepared.getValue().use_empty())
      prepared.erase();
  }

  void eraseUnused(ir::EntryOp entry) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(entry.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
} // namespace smp::passes
