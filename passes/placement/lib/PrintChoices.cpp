// SPDX-License-Identifier: Apache-2.0
#include "PlanFormat.h"
#include "smp/passes/placement/PlanAuto.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace smp::passes {

static bool hasSizes(const PlanChoices &choices) {
  return llvm::any_of(choices.candidates, [](const PlanCandidate &candidate) {
    return candidate.rows > 0;
  });
}

/// `rows` is left out where nobody chooses between sizes.
static void printCells(llvm::raw_ostream &os, const PlanChoices &choices,
                       llvm::StringRef rows,
                       llvm::ArrayRef<std::string> cells) {
  constexpr unsigned kWidths[] = {9, 7, 13, 8, 13, 8, 12, 8};
  if (hasSizes(choices))
    os << llvm::right_justify(rows, 6);
  for (auto [cell, width] : llvm::zip(cells, kWidths))
    os << llvm::right_justify(cell, width);
}

/// What a row takes may be little beside a microbatch.
static std::string timeOf(const PlanChoices &choices, double seconds) {
  if (choices.isOfSteps || !hasSizes(choices))
    return milliseconds(seconds);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4g ms", 1e3 * seconds);
  return text;
}

static void printCandidate(llvm::raw_ostream &os, const PlanChoices &choices,
                           const PlanCandidate &candidate) {
  std::string idle;
  llvm::raw_string_ostream(idle)
      << llvm::format("%.1f %%", 100 * candidate.idleShare);
  const bool hasPipeline = choices.isTrained && candidate.pipeline.active > 0;
  printCells(os, choices, std::to_string(candidate.rows),
             {std::to_string(candidate.devices),
              std::to_string(candidate.parts),
              hasPipeline ? toString(candidate.pipeline.kind) : "-",
              hasPipeline ? std::to_string(candidate.pipeline.active) : "-",
              candidate.seconds ? timeOf(choices, *candidate.seconds) : "-",
              candidate.seconds ? idle : "-",
              candidate.mostBytes ? sizeText(candidate.mostBytes) : "-",
              std::to_string(candidate.recomputed)});
  os << "  " << (candidate.lost.empty() ? "taken" : candidate.lost) << "\n";
}

void printChoices(llvm::raw_ostream &os, const PlanChoices &choices) {
  const char *const unit = choices.isOfSteps   ? "step"
                           : hasSizes(choices) ? "row"
                                               : "microbatch";
  printCells(os, choices, "rows",
             {"devices", "parts", "pipeline", "active", unit, "idle", "memory",
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
