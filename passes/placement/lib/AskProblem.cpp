// SPDX-License-Identifier: Apache-2.0
#include "AskProblem.h"

namespace smp::passes {

ModuleProblem askProblem(mlir::ModuleOp module, const CostModel &model,
                         const PlacementRequest &request,
                         const PlacementTrial &trial, bool keepsKernels) {
  ModuleProblem question = buildProblem(module, model,
                                        {.keepsKernels = keepsKernels,
                                         .pipeline = request.pipeline,
                                         .stashShare = trial.stashShare});
  question.problem.setMemoryWeight(request.memoryWeight);
  if (trial.contiguous)
    question.problem.preferContiguous(trial.contiguousWorth);
  if (request.memoryLimit > 0 && trial.keepsLimit)
    question.problem.setMemoryLimit(std::max<int64_t>(
        1, int64_t(trial.margin * double(request.memoryLimit))));
  return question;
}

} // namespace smp::passes
