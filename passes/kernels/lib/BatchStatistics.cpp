// SPDX-License-Identifier: Apache-2.0
// Statistics of a value may be taken anywhere between what makes it and the
// last op that needs it. Of all that are not taken yet, the value that is there
// last says when: right behind what makes it, and whoever can be taken then
// comes along. So there are as few kernels as there can be, but for large
// values: these are taken before they have left the caches.

#include "StatisticsGroups.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "smp/ir/Names.h"
#include "smp/ir/Role.h"
#include "smp/ir/Target.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/kernels/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace smp::passes {
#define GEN_PASS_DEF_BATCHSTATISTICSPASS
#include "smp/passes/kernels/Passes.h.inc"

/// Blocks of a value that are worth a launch: read from memory later, they take
/// longer.
static constexpr int64_t kWorthALaunch = 8;

namespace {

/// A group of statistics, which may be anywhere behind op number `after`, -1:
/// from the beginning, and before op number `before` of its stage.
struct Movable {
  ir::GroupOp group;
  int64_t after, before;
};

class Batching {
public:
  explicit Batching(ir::StageOp stage)
      : body(stage.getBody().front()),
        most(size_t(ir::targetOf(stage).getGroupOps())) {}

  void run();

private:
  std::optional<Movable> limits(ir::GroupOp group);
  int64_t endOf(Value root);
  void batch(SmallVector<Movable> &left);
  void merge(ArrayRef<ir::GroupOp> groups, int64_t after);

  Block &body;
  const size_t most;
  SmallVector<Operation *> ops; ///< In the order of before.
  llvm::DenseMap<Operation *, int64_t> numbers;
  llvm::StringMap<int64_t> writers; ///< Of variables.
};
} // namespace

void Batching::run() {
  for (Operation &op : body) {
    numbers[&op] = int64_t(ops.size());
    ops.push_back(&op);
  }
  for (auto assign : body.getOps<ir::AssignOp>())
    if (Operation *writer = ir::aliased(assign.getValue()).getDefiningOp())
      writers[assign.getVariable()] = numbers[writer];
  llvm::MapVector<Type, SmallVector<Movable>> all; // By the type of elements.
  for (Operation *op : ops)
    if (ir::StatisticsOp statistics = statisticsOf(op))
      if (auto movable = limits(cast<ir::GroupOp>(op)))
        all[ir::elementOf(statistics.getInput())].push_back(*movable);
  for (auto &[element, movables] : all) {
    llvm::stable_sort(movables, [](const Movable &a, const Movable &b) {
      return a.after > b.after;
    });
    while (!movables.empty())
      batch(movables);
  }
}

static bool isLarge(ir::GroupOp group) {
  return ir::shapeOf(group.getResult(0)).front() >= kWorthALaunch;
}

/// None where nothing else needs the value, which is not to be kept.
std::optional<Movable> Batching::limits(ir::GroupOp group) {
  const Value root = ir::aliased(group.getInputs().front());
  Operation *maker = root.getDefiningOp<ir::GroupOp>();
  if (maker && isLarge(group))
    return Movable{group, numbers[maker], numbers[maker] + 1};
  const Movable limits{group, maker ? numbers[maker] : -1, endOf(root)};
  if (limits.before <= limits.after + 1)
    return std::nullopt;
  return limits;
}

/// Which op is the last that needs the value. What no group makes is there all
/// the time.
int64_t Batching::endOf(Value root) {
  const int64_t last = numbers[body.getTerminator()];
  int64_t end = root.getDefiningOp<ir::GroupOp>() ? -1 : last;
  for (Value name : namesOf(root))
    for (Operation *user : name.getUsers())
      if (isa<ir::AssignOp>(user)) // It is where the variable lies.
        end = last;
      else if (ir::roleOf(user) != ir::OpRole::Alias && !statisticsOf(user))
        end = std::max(end, numbers[user]);
  if (auto read = root.getDefiningOp<ir::ReadOp>())
    if (auto writer = writers.find(read.getVariable()); writer != writers.end())
      end = std::min(end, writer->second);
  return end;
}

/// Takes the first away, and those that can be where it is; brings them there.
void Batching::batch(SmallVector<Movable> &left) {
  const int64_t after = left.front().after;
  SmallVector<ir::GroupOp> taken;
  llvm::erase_if(left, [&](const Movable &movable) {
    // What is made elsewhere is not made behind `after`.
    if (movable.before <= after || taken.size() == most)
      return false;
    taken.push_back(movable.group);
    return true;
  });
  if (taken.size() > 1 || isLarge(taken.front()))
    merge(taken, after);
}

/// Brings what makes the value, an alias or a read, before the op.
static void bringBefore(Operation *op, Value value) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->isBeforeInBlock(op))
    return;
  for (Value operand : maker->getOperands())
    bringBefore(op, operand);
  maker->moveBefore(op);
}

/// Makes one group of several, behind op number `after`.
void Batching::merge(ArrayRef<ir::GroupOp> groups, int64_t after) {
  llvm::SetVector<Value> inputs;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (ir::GroupOp group : groups) {
    inputs.insert_range(group.getInputs());
    llvm::append_range(types, group.getResultTypes());
    locations.push_back(group.getLoc());
  }
  OpBuilder b(body.getParentOp());
  if (after < 0)
    b.setInsertionPointToStart(&body);
  else
    b.setInsertionPointAfter(ops[size_t(after)]);
  const Location location = b.getFusedLoc(locations);
  auto made = ir::GroupOp::create(b, location, types, ir::Strategy::Whole,
                                  inputs.getArrayRef());
  made->setDiscardableAttrs(groups.front()->getDiscardableAttrDictionary());
  for (Value input : inputs)
    bringBefore(made, input);
  Block *block = b.createBlock(&made.getBody(), {}, TypeRange(made.getInputs()),
                               SmallVector<Location>(inputs.size(), location));
  IRMapping mapping;
  SmallVector<Value> returned;
  for (ir::GroupOp group : groups) {
    for (auto [argument, input] :
         llvm::zip(group.getBody().getArguments(), group.getInputs()))
      mapping.map(argument, block->getArgument(unsigned(
                                llvm::find(inputs, input) - inputs.begin())));
    for (Operation &op : group.getBody().front().without_terminator())
      llvm::append_range(returned, b.clone(op, mapping)->getResults());
  }
  ir::ReturnOp::create(b, location, returned);
  auto given = made.getResults().begin();
  for (ir::GroupOp group : groups) {
    group.getResult(0).replaceAllUsesWith(*given);
    bringBehind(made, *given++);
    group.erase();
  }
}

namespace {
struct BatchStatistics : impl::BatchStatisticsPassBase<BatchStatistics> {
  void runOnOperation() override {
    for (auto stage : getOperation().getOps<ir::StageOp>())
      Batching(stage).run();
  }
};
} // namespace
} // namespace smp::passes
