// SPDX-License-Identifier: Apache-2.0
#include "BlamePins.h"
#include "Pins.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/planning/SmallestSet.h"

using namespace mlir;

namespace smp::passes {
namespace {

/// Questions that are asked at the most, and evaluations, in those of one
/// search.
constexpr size_t kMostTrials = 200;
constexpr uint64_t kSearches = 4;

class Blamer {
public:
  Blamer(ModuleOp module, const PlacementRequest &request,
         const CostModel &costs, JudgeOf judgeOf, bool isProved)
      : module(module), request(request), costs(costs), judgeOf(judgeOf),
        pins(pinsOf(module)), isProved(isProved) {}

  std::string run() {
    // Trials say nothing.
    ScopedDiagnosticHandler silence(module.getContext(),
                                    [](Diagnostic &) { return success(); });
    if (pins.empty() || excludes({}) != Verdict::No)
      return {};
    std::vector<uint32_t> all;
    for (uint32_t number = 0; number < pins.size(); ++number)
      all.push_back(number);
    const SmallestSet set =
        findSmallestSet(uint32_t(pins.size()), all, kMostTrials,
                        [&](const std::vector<uint32_t> &some) {
                          return some.empty() ? Verdict::No : excludes(some);
                        });
    return describeSet(set);
  }

private:
  /// Whether some of the pins leave no placement.
  Verdict excludes(const std::vector<uint32_t> &some) {
    if (left == 0)
      return Verdict::Unknown;
    llvm::DenseSet<StringAttr> kept;
    for (uint32_t number : some)
      kept.insert(pins.begin()[number].first);
    OwningOpRef<ModuleOp> copy =
        withPins(module, [&](StringAttr name) { return kept.contains(name); });
    if (!copy || failed(place(*copy)))
      return Verdict::Yes;
    const Assignment start = assignmentOf(*copy);
    OpenPlacement open(std::move(copy), costs, request);
    const JudgeEffort effort = JudgeEffort::forOps(open.numOps());
    if (!left)
      left = kSearches * effort.evaluations;
    const PlacementFound found =
        searchPlacements(open.problem(), request.memoryLimit,
                         {open.itemsOf(start)}, judgeOf(open), effort);
    *left -= std::min(*left, found.evaluations);
    if (found.fits)
      return Verdict::No;
    return found.isAll ? Verdict::Yes : Verdict::Unknown;
  }

  /// Anywhere that pins allow.
  LogicalResult place(ModuleOp copy) const {
    PlacementRequest unwritten = request;
    unwritten.mode = PartitionMode::Auto;
    unwritten.savePlacement.clear();
    unwritten.loadPlacement.clear();
    PassManager passes(copy.getContext());
    buildPlacementPipeline(passes, unwritten, costs,
                           {.contiguous = false, .keepsLimit = false});
    return passes.run(copy);
  }

  std::string describeSet(const SmallestSet &set) const {
    std::string text = "without pins a placement keeps the memory limit; "
                       "none was found with ";
    text += set.members.size() == 1 ? "this one: " : "these: ";
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(set.members, os, [&](uint32_t number) {
      const auto &[name, partitions] = pins.begin()[number];
      os << name.getValue() << " on ";
      llvm::interleave(partitions, os, " and ");
    });
    if (!isProved)
      os << ", though not all placements were evaluated";
    if (!set.isSmallest)
      os << kMayBeSmaller;
    return text;
  }

  ModuleOp module;
  const PlacementRequest &request;
  const CostModel &costs;
  const JudgeOf judgeOf;
  const PinsByName pins;
  std::optional<uint64_t> left; ///< Evaluations; nothing: none was made.
  const bool isProved;          ///< That all of them leave none.
};

} // namespace

std::string blamePins(ModuleOp module, const PlacementRequest &request,
                      const CostModel &costs, JudgeOf judgeOf, bool isProved) {
  return Blamer(module, request, costs, judgeOf, isProved).run();
}

} // namespace smp::passes
