// SPDX-License-Identifier: Apache-2.0
#include "Sorting.h"
#include "llvm/Support/MathExtras.h"

namespace smp::codegen::cuda {

using llvm::divideCeil;

/// Every record is of a run of as many slots as a block has, or of a shorter
/// line.
void SortPlan::addBlocks(int64_t from, int64_t sorted, int64_t kept,
                         int64_t padding) {
  SortStep step;
  step.from = from;
  step.sorted = sorted;
  step.slots = std::min<int64_t>(
      SortStep::kTile, int64_t(llvm::PowerOf2Ceil(std::max<int64_t>(from, 1))));
  step.runs = int64_t(divideCeil(uint64_t(from), uint64_t(step.slots)));
  step.kept = step.runs > 1 ? std::min(kept, step.slots) : kept;
  step.padding = padding;
  steps.push_back(step);
}

SortPlan::SortPlan(int64_t lines, int64_t size, int64_t kept, unsigned keyBits)
    : lines(lines), keyBits(keyBits) {
  const auto run = int64_t(llvm::PowerOf2Ceil(std::max<int64_t>(kept, 1)));
  // Whoever is not among the first of its run is not among those of the line.
  const bool selects = run < SortStep::kTile;
  addBlocks(size, /*sorted=*/1, kept, /*padding=*/size);
  if (steps.back().runs == 1)
    return;
  if (selects) {
    while (steps.back().runs > 1) {
      SortStep &last = steps.back();
      last.kept = run;
      addBlocks(last.given(), run, kept, last.padding + last.runs * last.slots);
    }
    return;
  }
  steps.back().kept = SortStep::kTile;
  const int64_t all = steps.back().given();
  for (int64_t sorted = SortStep::kTile; sorted < all; sorted *= 2) {
    SortStep step;
    step.kind = SortStep::Kind::Merge;
    step.from = all;
    step.sorted = sorted;
    step.kept = 2 * sorted < all ? all : kept;
    steps.push_back(step);
  }
}

std::vector<TensorType> SortPlan::temporaries(size_t count) const {
  std::vector<TensorType> types;
  for (size_t first = 0; first < std::min<size_t>(count, 2); ++first) {
    int64_t records = 0;
    for (size_t step = first; step < count; step += 2)
      records = std::max(records, lines * steps[step].given());
    types.push_back({DType::I64, {records}});
    if (!isPacked())
      types.push_back({DType::I32, {records}});
  }
  return types;
}

llvm::SmallVector<KernelBuffer> SortPlan::given(size_t step) const {
  const uint32_t parts = isPacked() ? 1 : 2;
  llvm::SmallVector<KernelBuffer> buffers;
  for (uint32_t part = 0; part < parts; ++part)
    buffers.push_back(
        {KernelBuffer::Kind::Temporary, uint32_t(step % 2) * parts + part});
  return buffers;
}

} // namespace smp::codegen::cuda
