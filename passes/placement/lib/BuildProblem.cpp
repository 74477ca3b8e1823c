// SPDX-License-Identifier: Apache-2.0
#include "BuildProblem.h"
#include "Footprint.h"
#include "smp/passes/EntryWeights.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

Operation *ModuleProblem::anchor(uint32_t item) const {
  for (Operation *op : ops[item])
    if (PlacementAttr placement = getPlacement(op);
        placement && placement.isUser())
      return op;
  return ops[item].front();
}

std::vector<uint32_t> ModuleProblem::pinnedPartitions() const {
  std::vector<uint32_t> partitionOf(ops.size());
  for (const PartitionProblem::Pin &pin : problem.getPins())
    partitionOf[pin.item] = pin.partition;
  return partitionOf;
}

namespace {

class Builder {
public:
  Builder(ModuleOp module, const CostModel &model, Freedom freedom)
      : module(module), model(model), freedom(freedom), weights(module),
        users(module),
        result{PartitionProblem(uint32_t(getNumPartitions(module))), {}} {}

  ModuleProblem build() {
    for (auto entry : module.getOps<EntryOp>()) {
      footprints.try_emplace(entry, entry, getNumPartitions(module), model,
                             freedom.pipeline);
      for (Operation &op : entry.getBody().front().without_terminator())
        if (isItem(&op))
          gather(&op);
    }
    if (freedom.isRelaxed)
      divide();
    for (uint32_t item = 0; item < result.ops.size(); ++item)
      addItem(item);
    for (uint32_t item = 0; item < result.ops.size(); ++item)
      for (Operation *op : result.ops[item])
        if (!isCopied(op))
          addTensors(op, item);
    for (const auto &[variable, ops] : users.users())
      addVariable(variable, ops);
    return std::move(result);
  }

private:
  /// The partition that the op is bound to, or nothing.
  std::optional<int64_t> pinOf(Operation *op) const {
    PlacementAttr placement = getPlacement(op);
    if (!placement || (freedom.isRelaxed && !placement.isUser()))
      return std::nullopt;
    return placement.getPartition();
  }

  /// The item that the op belongs to: of what it derives from, or of its
  /// kernel.
  std::optional<uint32_t> itemFor(Operation *op) const {
    if (auto origin = op->getAttrOfType<IntegerAttr>(kOriginAttr))
      if (auto found = itemOfOrigin.find(origin.getInt());
          found != itemOfOrigin.end())
        return found->second;
    Operation *target = freedom.keepsKernels ? findFusionTarget(op) : nullptr;
    auto found = target ? itemOf.find(target) : itemOf.end();
    if (found == itemOf.end() || getPhase(target) != getPhase(op))
      return std::nullopt;
    return found->second;
  }

  /// Puts the op into an item that is there already, or into a new one.
  void gather(Operation *op) {
    std::optional<int64_t> pin;
    if (!freedom.isRelaxed)
      pin = pinOf(op);
    std::optional<uint32_t> item = itemFor(op);
    if (item) {
      std::optional<int64_t> &bound = pins[*item];
      if (pin && bound && *pin != *bound)
        item.reset();
      else
        bound = bound ? bound : pin;
    }
    if (!item)
      item = addEmptyItem(pin);
    result.ops[*item].push_back(op);
    itemOf[op] = *item;
    if (auto origin = op->getAttrOfType<IntegerAttr>(kOriginAttr))
      itemOfOrigin.try_emplace(origin.getInt(), *item);
  }

  uint32_t addEmptyItem(std::optional<int64_t> pin) {
    result.ops.emplace_back();
    pins.push_back(pin);
    return uint32_t(result.ops.size() - 1);
  }

  /// Makes every op an item, with the least that it takes in its kernel.
  void divide() {
    auto whole = std::exchange(result.ops, {});
    pins.clear();
    for (ArrayRef<Operation *> ops : whole) {
      for (ArrayRef<Operation *> kernel : kernelsOf(ops))
        for (auto [op, seconds] : llvm::zip(kernel, model.leastSeconds(kernel)))
          leastSeconds[op] = weightOf(op) * seconds / runsOf(op);
      for (Operation *op : ops) {
        itemOf[op] = addEmptyItem(pinOf(op));
        result.ops.back().push_back(op);
      }
    }
  }

  static SmallVector<SmallVector<Operation *>>
  kernelsOf(ArrayRef<Operation *> ops) {
    SmallVector<SmallVector<Operation *>> kernels;
    for (Unit phase : {Unit::Forward, Unit::BackwardInput, Unit::BackwardWeight,
                       Unit::Update}) {
      SmallVector<Operation *> kernel;
      for (Operation *op : ops)
        if (getPhase(op) == phase)
          kernel.push_back(op);
      if (!kernel.empty())
        kernels.push_back(std::move(kernel));
    }
    return kernels;
  }

  /// In how many microbatches the op runs once.
  static double runsOf(Operation *op) {
    auto count =
        op->getParentOp()->getAttrOfType<IntegerAttr>(kMicrobatchesAttr);
    return count && getPhase(op) == Unit::Update ? double(count.getInt()) : 1;
  }

  double weightOf(Operation *op) const {
    return weights.of(op->getParentOfType<EntryOp>());
  }

  /// Of one microbatch: what runs once per step counts for a part.
  double secondsOf(ArrayRef<Operation *> ops) const {
    if (freedom.isRelaxed)
      return leastSeconds.lookup(ops.front());
    double seconds = 0;
    for (ArrayRef<Operation *> kernel : kernelsOf(ops))
      seconds += weightOf(kernel.front()) * model.secondsOfKernel(kernel) /
                 runsOf(kernel.front());
    return seconds;
  }

  void addItem(uint32_t index) {
    ArrayRef<Operation *> ops = result.ops[index];
    PartitionItem item;
    item.name = describe(result.anchor(index));
    item.seconds = secondsOf(ops);
    for (Operation *op : ops) {
      const Footprint &footprint = footprints.at(op->getParentOp());
      item.workBytes = std::max(item.workBytes, footprint.liveBytes(op));
      item.stashBytes +=
          int64_t(freedom.stashShare * double(footprint.stashBytes(op)));
      item.residentBytes += residentBytes(op);
    }
    item.residentBytes += item.stashBytes;
    result.problem.addItem(std::move(item));
    if (pins[index])
      result.problem.pin(index, uint32_t(*pins[index]));
  }

  /// The first user of a variable accounts for it, and for the value that is
  /// kept of one that microbatches change.
  int64_t residentBytes(Operation *op) {
    int64_t bytes =
        isa<PreparedOp>(op) ? bytesOf(op->getResult(0).getType()) : 0;
    for (StringAttr name : users.variables(op))
      if (counted.insert(name).second)
        if (VariableOp variable = users.lookup(name))
          bytes += bytesOf(variable.getType()) * (isKept(name, variable) + 1);
    return bytes;
  }

  bool isKept(StringAttr name, VariableOp variable) const {
    return variable.getKind() == VariableKind::State && users.isAssigned(name);
  }

  void addTensors(Operation *op, uint32_t item) {
    for (Value value : op->getResults()) {
      // A gradient goes back; what it costs does not depend on the direction.
      llvm::SetVector<uint32_t> items;
      items.insert(item);
      for (Operation *user : value.getUsers())
        if (auto found = itemOf.find(user); found != itemOf.end())
          items.insert(found->second);
      PartitionProblem::Tensor tensor;
      tensor.producer = *llvm::min_element(items);
      items.remove(tensor.producer);
      tensor.consumers.assign(items.begin(), items.end());
      tensor.bytes = bytesOf(value.getType());
      tensor.seconds = weightOf(op) * model.transferSeconds(tensor.bytes);
      if (!tensor.consumers.empty())
        result.problem.addTensor(std::move(tensor));
    }
  }

  void addVariable(StringAttr variable, ArrayRef<Operation *> ops) {
    Operation *first = nullptr;
    for (Operation *op : ops) {
      if (!itemOf.contains(op))
        continue;
      if (first)
        result.problem.colocate(itemOf[first], itemOf[op], variable.str());
      else
        first = op;
    }
  }

  ModuleOp module;
  const CostModel &model;
  Freedom freedom;
  const EntryWeights weights;
  VariableUsers users;
  ModuleProblem result;
  std::map<Operation *, Footprint> footprints; ///< By entry.
  llvm::DenseMap<Operation *, uint32_t> itemOf;
  llvm::DenseMap<int64_t, uint32_t> itemOfOrigin;
  std::vector<std::optional<int64_t>> pins;         ///< Per item.
  llvm::DenseMap<Operation *, double> leastSeconds; ///< Of a relaxed problem.
  llvm::DenseSet<StringAttr> counted;
};

} // namespace

bool isItem(Operation *op) {
  PlacementAttr placement = getPlacement(op);
  return !(placement && placement.isAll()) &&
         !(isa<ConstantOp>(op) && isCopied(op));
}

ModuleProblem buildProblem(ModuleOp module, const CostModel &model,
                           Freedom freedom) {
  return Builder(module, model, freedom).build();
}

void emitConflict(ModuleOp module, const ModuleProblem &question,
                  const PartitionConflict &conflict) {
  constexpr size_t kMostNotes = 8;
  if (conflict.items.empty()) {
    module.emitError() << conflict.message;
    return;
  }
  // At the last of them: what came later met what was there.
  InFlightDiagnostic error = question.anchor(conflict.items.back())->emitError()
                             << conflict.message;
  ArrayRef<uint32_t> others = ArrayRef(conflict.items).drop_back();
  for (uint32_t item : others.take_front(kMostNotes))
    error.attachNote(question.anchor(item)->getLoc())
        << question.problem.getItems()[item].name << " is here";
}

} // namespace smp::passes
