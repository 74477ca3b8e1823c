// SPDX-License-Identifier: Apache-2.0
#include "PlanFormat.h"
#include "smp/passes/placement/PlanAuto.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace smp::passes {

static void printCells(llvm::raw_ostream &os,
                       llvm::ArrayRef<std::string> cells) {
  constexpr unsigned kWidths[] = {9, 7, 13, 8, 13, 8, 12, 8};
  for (auto [cell, width] : llvm::zip(cells, kWidths))
    os << llvm::right_justify(cell, width);
}

static void printCandidate(llvm::raw_ostream &os, const PlanChoices &choices,
                           const PlanCandidate &candidate) {
  std::string idle;
  llvm::raw_string_ostream(idle)
      << llvm::format("%.1f %%", 100 * candidate.idleShare);
  const bool hasPipeline = choices.isTrained && candidate.pipeline.active > 0;
  printCells(os, {std::to_string(candidate.devices),
                  std::to_string(candidate.parts),
                  hasPipeline ? toString(candidate.pipeline.kind) : "-",
                  hasPipeline ? std::to_string(candidate.pipeline.active) : "-",
                  candidate.seconds ? milliseconds(*candidate.seconds) : "-",
                  candidate.seconds ? idle : "-",
                  candidate.mostBytes ? sizeText(candidate.mostBytes) : "-",
                  std::to_string(candidate.recomputed)});
  os << "  " << (candidate.lost.empty() ? "taken" : candidate.lost) << "\n";
}

void printChoices(llvm::raw_ostream &os, const PlanChoices &choices) {
  printCells(os, {"devices", "parts", "pipeline", "active",
                  choices.isOfSteps ? "step" : "microbatch", "idle", "memory",
                  "again"});
  os << "\n";
  for (const PlanCandidate &candidate : choices.candidates)
    printCandidate(os, choices, candidate);
  if (choices.empty.empty())
    return;
  os << "left empty, since with work they would make it slower, do not fit or "
        "are not needed: devices ";
  llvm::interleaveComma(choices.empty, os);
  os << "\n";
}

} // namespace smp::passes
