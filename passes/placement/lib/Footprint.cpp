// SPDX-License-Identifier: Apache-2.0
#include "Footprint.h"
#include "smp/ir/Placement.h"
#include "smp/model/Schedule.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/pipeline/StageSources.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

Value viewedValue(Value value) {
  while (isa_and_nonnull<ReshapeOp, BroadcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

llvm::SetVector<Value> stashedValues(EntryOp entry) {
  StageSources sources(entry);
  llvm::DenseSet<Value> taken;
  for (Operation &op : entry.getBody().front())
    if (isBackward(getPhase(&op)))
      for (Value operand : op.getOperands())
        taken.insert(viewedValue(operand));
  llvm::SetVector<Value> stash;
  for (Operation &op : entry.getBody().front())
    if (getPhase(&op) == Unit::Forward && !sources.contains(&op))
      for (Value result : op.getResults())
        if (taken.contains(result))
          stash.insert(result);
  return stash;
}

//===----------------------------------------------------------------------===//
// Microbatches under way
//===----------------------------------------------------------------------===//

/// A chain of equal partitions, each with a forward and a backward stage; what
/// forward stage p makes for the backward one is channel p.
static PipelineShape chainOf(uint32_t partitions) {
  PipelineShape chain;
  chain.partitions = partitions;
  auto connect = [&](uint32_t from, uint32_t to) {
    auto channel = uint32_t(chain.channels.size());
    chain.channels.push_back({from, to, 1});
    chain.stages[from].sends.push_back(channel);
    chain.stages[to].receives.push_back(channel);
  };
  for (uint32_t p = 0; p < partitions; ++p)
    chain.stages.push_back({p, {}, {}, Phase::Forward});
  for (uint32_t p = partitions; p-- > 0;)
    chain.stages.push_back({p, {}, {}, Phase::Backward});
  for (uint32_t p = 0; p < partitions; ++p)
    connect(p, 2 * partitions - 1 - p);
  for (uint32_t s = 0; s + 1 < 2 * partitions; ++s)
    if (s + 1 != partitions)
      connect(s, s + 1);
  return chain;
}

/// How many microbatches channels of the chain hold at once.
static SmallVector<uint32_t> depthsOfChain(uint32_t partitions,
                                           uint32_t microbatches,
                                           double forward, double backward,
                                           PipelineChoice pipeline) {
  if (pipeline.kind == PipelineKind::Simple)
    return SmallVector<uint32_t>(partitions, microbatches);
  const uint32_t active = pipeline.active
                              ? pipeline.active
                              : usualActive(pipeline.kind, partitions);
  // Later microbatches find what earlier ones found.
  constexpr uint32_t kRounds = 4;
  ScheduleOptions options;
  options.microbatches = std::min(
      microbatches, kRounds * (std::min(active, microbatches) + partitions));
  options.active = active;
  options.stageCosts.assign(partitions, forward);
  options.stageCosts.resize(2 * partitions, backward);
  PipelineShape chain = chainOf(partitions);
  std::vector<uint32_t> depths = channelDepths(
      chain, interleavedSchedule(chain, options), options.stageCosts);
  return SmallVector<uint32_t>(depths.begin(), depths.begin() + partitions);
}

void Footprint::measureTimes(const CostModel &model) {
  for (Operation &op : entry.getBody().front().without_terminator()) {
    Unit phase = getPhase(&op);
    begins[&op] = forwardSeconds;
    if (phase == Unit::Forward)
      forwardSeconds += model.seconds(&op);
    else if (isBackward(phase))
      backwardSeconds += model.seconds(&op);
  }
}

void Footprint::planDepths(PipelineChoice pipeline) {
  auto count = entry->getAttrOfType<IntegerAttr>(kMicrobatchesAttr);
  const int64_t microbatches = count ? std::max<int64_t>(count.getInt(), 1) : 1;
  depths = depthsOfChain(partitions, uint32_t(microbatches), forwardSeconds,
                         backwardSeconds, pipeline);
}

uint32_t Footprint::inFlight(Operation *op) const {
  if (depths.empty())
    return 1;
  const double share = begins.lookup(op) / std::max(forwardSeconds, 1e-30);
  const auto part = size_t(share * double(depths.size()));
  return depths[std::min(part, depths.size() - 1)];
}

int64_t Footprint::stashBytes(Operation *op) const {
  int64_t bytes = 0;
  for (Value result : op->getResults())
    if (stash.contains(result))
      bytes += bytesOf(result.getType());
  return bytes * inFlight(op);
}

//===----------------------------------------------------------------------===//
// A stage's own memory
//===----------------------------------------------------------------------===//

/// Whether a kernel that reduces the value also computes it.
static bool isReducedInPlace(Operation *producer, Operation *user) {
  return isa<ReduceOp>(user) && producer->hasTrait<trait::Elementwise>();
}

/// Whether the op only adds to a sum over microbatches, which is a variable.
static bool isSum(Operation *op) {
  return isa<AssignOp>(op) ||
         (isa<AddOp, SelectOp>(op) && isBackward(getPhase(op)) &&
          !op->use_empty() && llvm::all_of(op->getUsers(), isSum));
}

/// Whether the value has a place in the memory of the stage that makes it.
bool Footprint::isInside(Value value) const {
  Operation *producer = value.getDefiningOp();
  if (isFree(producer) || stash.contains(value) || isSum(producer))
    return false;
  for (Operation *user : value.getUsers())
    if (isa<AssignOp>(user) ||
        (!isa<ReturnOp>(user) && getPhase(user) != getPhase(producer)) ||
        (value.hasOneUse() && (findFusionTarget(user) == producer ||
                               isReducedInPlace(producer, user))))
      return false;
  return true;
}

void Footprint::measureLive() {
  // An update goes variable by variable, other stages in the entry's order.
  llvm::MapVector<std::pair<int, Attribute>, SmallVector<Operation *>> runs;
  for (Operation &op : entry.getBody().front()) {
    Unit phase = getPhase(&op);
    Attribute variable;
    if (phase == Unit::Update)
      variable = op.getAttr(kOriginAttr);
    runs[{int(phase), variable}].push_back(&op);
  }
  for (const auto &[key, ops] : runs)
    measureRun(ops);
}

void Footprint::measureRun(ArrayRef<Operation *> ops) {
  llvm::DenseMap<Operation *, size_t> position;
  for (auto [i, op] : llvm::enumerate(ops))
    position[op] = i;
  // What the results begin to hold at an op, less what they give back.
  SmallVector<int64_t> change(ops.size() + 1);
  for (auto [first, op] : llvm::enumerate(ops))
    for (Value result : op->getResults()) {
      if (!isInside(result))
        continue;
      size_t last = first;
      SmallVector<Value> names{result};
      while (!names.empty())
        for (Operation *user : names.pop_back_val().getUsers()) {
          if (!isSum(user)) // That happens at once.
            last = std::max(last, position.lookup(user));
          if (isView(user))
            names.push_back(user->getResult(0));
        }
      change[first] += bytesOf(result.getType());
      change[last + 1] -= bytesOf(result.getType());
    }
  int64_t bytes = 0;
  for (auto [op, difference] : llvm::zip(ops, change))
    live[op] = bytes += difference;
}

Footprint::Footprint(EntryOp entry, int64_t partitions, const CostModel &model,
                     PipelineChoice pipeline)
    : entry(entry), partitions(uint32_t(partitions)),
      stash(stashedValues(entry)) {
  measureTimes(model);
  if (!stash.empty())
    planDepths(pipeline);
  measureLive();
}

} // namespace smp::passes
