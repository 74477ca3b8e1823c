// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/Explain.h"
#include "AskProblem.h"
#include "Pins.h"
#include "PlanFormat.h"
#include "smp/ir/Names.h"
#include "smp/passes/EntryWeights.h"
#include "smp/passes/planning/PartitionSolver.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
namespace {

/// More pins are not looked at: each is a question to the solver.
constexpr size_t kMostPins = 64;

class Explainer {
public:
  Explainer(ModuleOp module, ModuleOp asked, const CostModel &model,
            const PlacementRequest &request)
      : module(module), asked(asked), model(model), request(request),
        placed(buildProblem(module, model, {.pipeline = request.pipeline})),
        partitionOf(placed.pinnedPartitions()) {
    if (llvm::any_of(module.getOps<EntryOp>(), isTrained))
      this->request.memoryLimit = 0;
    explanation.bottleneck = placed.problem.objective(partitionOf);
    explanation.memoryLimit = request.memoryLimit;
    asked->setAttr(kPartitionsAttr,
                   Builder(asked.getContext())
                       .getI64IntegerAttr(getNumPartitions(module)));
  }

  Explanation run() {
    explainPins();
    explainMoves();
    explainLimit();
    return std::move(explanation);
  }

private:
  //===--------------------------------------------------------------------===//
  // Pins
  //===--------------------------------------------------------------------===//

  void explainPins() {
    if (request.mode == PartitionMode::Manual)
      return; // Nobody solves.
    for (const auto &[name, partitions] : pinsOf(module)) {
      if (explanation.pins.size() == kMostPins) {
        ++explanation.morePins;
        continue;
      }
      Explanation::Pin pin{name.str(), llvm::to_vector(partitions), {}, {}};
      if (const auto solved = solveWithout(module, name, request)) {
        pin.bottleneck = solved->answer.objective;
        pin.bound = solved->answer.bound;
      }
      explanation.pins.push_back(std::move(pin));
    }
  }

  struct Solved {
    PartitionAnswer answer;
    std::vector<PartitionLoad> loads;
  };
  /// The question that was asked, but for the pins of a name.
  std::optional<Solved> solveWithout(ModuleOp of, StringAttr name,
                                     const PlacementRequest &what) {
    const bool arePinsKept = what.mode != PartitionMode::IgnoreAnnotations;
    const OwningOpRef<ModuleOp> copy = withPins(
        of, [&](StringAttr pinned) { return arePinsKept && pinned != name; });
    if (!copy)
      return std::nullopt;
    const ModuleProblem question =
        askProblem(*copy, model, what, {.contiguous = what.contiguous},
                   /*keepsKernels=*/true);
    PartitionResult result = solvePartition(question.problem);
    auto *answer = std::get_if<PartitionAnswer>(&result);
    if (!answer)
      return std::nullopt;
    return Solved{*answer, question.problem.loads(answer->partitionOf)};
  }

  //===--------------------------------------------------------------------===//
  // Moves
  //===--------------------------------------------------------------------===//

  void explainMoves() {
    const llvm::SmallVector<llvm::SetVector<uint32_t>> others = neighbours();
    const std::vector<uint32_t> classOf = tieClasses();
    const std::vector<bool> isPinned = pinnedClasses(classOf);
    llvm::DenseSet<std::pair<uint32_t, uint32_t>> seen;
    for (uint32_t item = 0; item < partitionOf.size(); ++item)
      for (uint32_t to : others[item])
        if (!isPinned[classOf[item]] && seen.insert({classOf[item], to}).second)
          explanation.moves.push_back(moveOf(item, to, classOf));
    llvm::stable_sort(explanation.moves, [](const auto &a, const auto &b) {
      return std::tie(a.bottleneck, a.name) < std::tie(b.bottleneck, b.name);
    });
  }

  /// By item: the partitions, other than its own, of what it takes from and
  /// gives to.
  llvm::SmallVector<llvm::SetVector<uint32_t>> neighbours() const {
    llvm::SmallVector<llvm::SetVector<uint32_t>> result(partitionOf.size());
    auto join = [&](uint32_t a, uint32_t b) {
      if (partitionOf[a] == partitionOf[b])
        return;
      result[a].insert(partitionOf[b]);
      result[b].insert(partitionOf[a]);
    };
    for (const PartitionProblem::Tensor &tensor : placed.problem.getTensors())
      for (uint32_t consumer : tensor.consumers)
        join(tensor.producer, consumer);
    return result;
  }

  /// By item: an item that stands for all that share variables, through others
  /// too.
  std::vector<uint32_t> tieClasses() const {
    llvm::EquivalenceClasses<uint32_t> classes;
    for (uint32_t item = 0; item < partitionOf.size(); ++item)
      classes.insert(item);
    for (const PartitionProblem::Tie &tie : placed.problem.getTies())
      classes.unionSets(tie.a, tie.b);
    std::vector<uint32_t> result;
    for (uint32_t item = 0; item < partitionOf.size(); ++item)
      result.push_back(classes.getLeaderValue(item));
    return result;
  }

  std::vector<bool> pinnedClasses(const std::vector<uint32_t> &classOf) const {
    std::vector<bool> result(partitionOf.size());
    for (uint32_t item = 0; item < partitionOf.size(); ++item)
      for (Operation *op : placed.ops[item])
        if (getPlacement(op).isUser())
          result[classOf[item]] = true;
    return result;
  }

  Explanation::Move moveOf(uint32_t item, uint32_t to,
                           const std::vector<uint32_t> &classOf) const {
    std::vector<uint32_t> moved = partitionOf;
    for (uint32_t other = 0; other < moved.size(); ++other)
      if (classOf[other] == classOf[item])
        moved[other] = to;
    const std::vector<PartitionLoad> loads = placed.problem.loads(moved);
    return {placed.problem.getItems()[item].name, partitionOf[item], to,
            placed.problem.objective(moved),
            request.memoryLimit > 0 &&
                llvm::any_of(loads, [&](const PartitionLoad &load) {
                  return load.bytes() > request.memoryLimit;
                })};
  }

  //===--------------------------------------------------------------------===//
  // The limit
  //===--------------------------------------------------------------------===//

  void explainLimit() {
    // Edited lines of a file are pins that the module gets when it is placed.
    const bool arePinsKnown = asked == module || request.loadPlacement.empty();
    if (explanation.memoryLimit <= 0 || !arePinsKnown ||
        request.mode == PartitionMode::Manual)
      return;
    PlacementRequest unlimited = request;
    unlimited.memoryLimit = 0;
    explanation.isComputedAgain = countOps(module) > countOps(asked);
    const auto solved = solveWithout(asked, StringAttr(), unlimited);
    if (!solved)
      return;
    explanation.bottleneckWithoutLimit = solved->answer.objective;
    constexpr double kRounding = 1e-9;
    explanation.doesLimitBind =
        solved->answer.objective < explanation.bottleneck * (1 - kRounding) &&
        llvm::any_of(
            solved->loads,
            [&](const PartitionLoad &load) {
              return load.bytes() > explanation.memoryLimit;
            });
  }

  static size_t countOps(ModuleOp module) {
    size_t count = 0;
    for (auto entry : module.getOps<EntryOp>())
      count += entry.getBody().front().getOperations().size();
    return count;
  }

  ModuleOp module, asked;
  const CostModel &model;
  PlacementRequest request;
  const ModuleProblem placed;
  const std::vector<uint32_t> partitionOf;
  Explanation explanation;
};

} // namespace

Explanation explainPlan(ModuleOp module, ModuleOp asked, const CostModel &model,
                        const PlacementRequest &request) {
  return Explainer(module, asked, model, request).run();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printPin(llvm::raw_ostream &os, const Explanation::Pin &pin) {
  os << "  " << pin.name << " on ";
  llvm::interleaveComma(pin.partitions, os);
  os << ": without it ";
  if (pin.bottleneck)
    os << milliseconds(*pin.bottleneck) << ", no placement is below "
       << milliseconds(*pin.bound) << "\n";
  else
    os << "no placement was found\n";
}

static void printMoves(llvm::raw_ostream &os, const Explanation &explanation) {
  constexpr size_t kMostMoves = 20;
  const ArrayRef<Explanation::Move> moves = explanation.moves;
  os << "moved over the border, one at a time:"
     << (moves.empty() ? " nothing can be" : "") << "\n";
  for (const Explanation::Move &move : moves.take_front(kMostMoves))
    os << "  " << move.name << " from " << move.from << " to " << move.to
       << ": " << milliseconds(move.bottleneck)
       << (move.isOverLimit ? ", probably over the memory limit" : "") << "\n";
  if (moves.size() > kMostMoves)
    os << "  and " << moves.size() - kMostMoves << " others, none below "
       << milliseconds(moves[kMostMoves].bottleneck) << "\n";
}

void printExplanation(llvm::raw_ostream &os, const Explanation &explanation) {
  os << "the bottleneck is " << milliseconds(explanation.bottleneck)
     << "; it would be:\n"
     << "without a pin:" << (explanation.pins.empty() ? " there is none" : "")
     << "\n";
  for (const Explanation::Pin &pin : explanation.pins)
    printPin(os, pin);
  if (explanation.morePins > 0)
    os << "  and " << explanation.morePins << " others, not looked at\n";
  printMoves(os, explanation);
  if (!explanation.bottleneckWithoutLimit)
    return;
  os << "without the memory limit of " << sizeText(explanation.memoryLimit)
     << " per partition: ";
  if (explanation.isComputedAgain) {
    os << "nothing would be computed again; the limit binds\n";
    return;
  }
  os << milliseconds(*explanation.bottleneckWithoutLimit) << "; the limit "
     << (explanation.doesLimitBind ? "binds" : "does not bind") << "\n";
}

} // namespace smp::passes
