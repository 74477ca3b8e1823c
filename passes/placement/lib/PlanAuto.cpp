// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/PlanAuto.h"
#include "CandidatePlans.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace smp::passes {
namespace {

class AutoPlanner {
public:
  AutoPlanner(ArrayRef<ModelToPlan> models, const PlacementRequest &request)
      : models(models), request(request) {}

  FailureOr<PlanChoices> run() {
    for (const ModelToPlan &model : models) {
      auto &plans = plansOf.emplace_back(
          std::make_unique<CandidatePlans>(model, request));
      if (failed(plans->tryAll()))
        return failure();
    }
    if (numRunnable() == 0 && request.memoryLimit > 0)
      for (const auto &plans : plansOf)
        if (failed(plans->lookFurther()))
          return failure();
    for (size_t model = 0; model < plansOf.size(); ++model)
      for (const CandidatePlans::Tried &plan : plansOf[model]->all())
        tried.push_back({model, plan});
    if (numRunnable() == 0)
      return refuse();
    return choose();
  }

private:
  struct OfModel {
    size_t model;
    CandidatePlans::Tried plan;
  };

  /// By time, then by memory, then by rows.
  std::tuple<double, int64_t, int64_t> rankOf(const OfModel &of) const {
    return {of.plan.candidate.seconds.value_or(
                std::numeric_limits<double>::infinity()),
            of.plan.candidate.mostBytes, models[of.model].rows};
  }

  size_t numRunnable() const {
    size_t count = 0;
    for (const auto &plans : plansOf)
      count += plans->numRunnable();
    return count;
  }

  FailureOr<PlanChoices> choose() {
    if (request.planNumber < 1 || size_t(request.planNumber) > numRunnable())
      return ModuleOp(models.front().module).emitError()
             << "plan number " << request.planNumber
             << " is asked for; there are plans 1 to " << numRunnable();
    llvm::stable_sort(tried, [&](const OfModel &a, const OfModel &b) {
      return rankOf(a) < rankOf(b);
    });
    PlanChoices choices;
    choices.taken = size_t(request.planNumber) - 1;
    const OfModel &taken = tried[choices.taken];
    CandidatePlans &plans = *plansOf[taken.model];
    plans.take(taken.plan);
    choices.isOfSteps = plans.isOfSteps();
    choices.isTrained = plans.hasTraining();
    choices.partitions = plans.partitions();
    for (uint32_t device = 0; device < choices.partitions; ++device)
      if (!llvm::is_contained(taken.plan.deviceOf, device))
        choices.empty.push_back(device);
    list(choices);
    return choices;
  }

  /// All, with what becomes of each.
  void list(PlanChoices &choices) {
    best = tried.front().plan.candidate;
    best.rows = models[tried.front().model].rows;
    for (auto [i, of] : llvm::enumerate(tried)) {
      PlanCandidate &candidate = of.plan.candidate;
      candidate.model = of.model;
      candidate.rows = models[of.model].rows;
      if (candidate.seconds && i != choices.taken)
        candidate.lost = comparison(candidate, i == 0);
      choices.candidates.push_back(std::move(candidate));
    }
  }

  std::string comparison(const PlanCandidate &candidate, bool isFirst) const {
    if (isFirst)
      return "the fastest";
    if (*candidate.seconds > *best.seconds)
      return llvm::formatv("{0:F1} % slower",
                           100 * (*candidate.seconds / *best.seconds - 1));
    if (candidate.mostBytes > best.mostBytes)
      return "as fast, with more memory";
    return candidate.rows > best.rows ? "as fast, with more rows" : "as fast";
  }

  /// Of the fewest rows, what was found by looking further; else the first that
  /// was tried: it has most devices, and so most memory.
  LogicalResult refuse() {
    const OfModel &first =
        *llvm::min_element(tried, [&](const OfModel &a, const OfModel &b) {
          return models[a.model].rows < models[b.model].rows;
        });
    const PlanCandidate &candidate = first.plan.candidate;
    const CandidatePlans &plans = *plansOf[first.model];
    const int64_t rows = models[first.model].rows;
    InFlightDiagnostic error =
        ModuleOp(models[first.model].module).emitError()
        << "no plan for " << plans.partitions()
        << (plans.partitions() > 1 ? " devices" : " device");
    if (models.size() > 1)
      error << ", not even in microbatches of " << rows
            << (rows > 1 ? " rows" : " row");
    error << ": ";
    const std::optional<PlacementFound> &looked = plans.furtherFound();
    if (looked)
      error << looked->refusal(request.memoryLimit, plans.hasTraining());
    else
      error << candidate.lost;
    if (!looked && candidate.mostBytes > 0)
      error << ", and needs " << candidate.mostBytes << " bytes of "
            << request.memoryLimit
            << (plans.hasTraining() ? " with nothing computed again" : "");
    if (looked || candidate.mostBytes > 0)
      error << "; raise the memory limit, or use more devices";
    if (!plans.blamedPins().empty())
      error.attachNote() << plans.blamedPins();
    return error;
  }

  ArrayRef<ModelToPlan> models;
  const PlacementRequest &request;
  std::vector<std::unique_ptr<CandidatePlans>> plansOf; ///< By model.
  std::vector<OfModel> tried;
  PlanCandidate best;
};

} // namespace

FailureOr<PlanChoices> planAutomatically(ArrayRef<ModelToPlan> models,
                                         const PlacementRequest &request) {
  return AutoPlanner(models, request).run();
}

} // namespace smp::passes
