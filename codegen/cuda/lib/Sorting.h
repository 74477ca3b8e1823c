// SPDX-License-Identifier: Apache-2.0
// Stable sorting of lines, in one launch or several.

#ifndef SMP_CODEGEN_CUDA_LIB_SORTING_H
#define SMP_CODEGEN_CUDA_LIB_SORTING_H

#include "KernelFunction.h"

namespace smp::codegen::cuda {

/// One launch of a sort.
struct SortStep {
  enum class Kind {
    Blocks, ///< Sorts runs that fit a block.
    Merge,  ///< Joins neighbouring runs, a block per kTile records of theirs.
  };
  static constexpr int64_t kTile = 2048; ///< Records of a block.

  Kind kind = Kind::Blocks;
  int64_t from = 0;   ///< Records of a line that it gets.
  int64_t sorted = 1; ///< As many in turn are in order already.
  int64_t slots = 0;  ///< Blocks: of a run; a power of two.
  int64_t runs = 1;   ///< Blocks: of a line.
  int64_t kept = 0;   ///< The first of each run, or merged line, that it gives.
  /// Blocks: the number of the first record that stands for none.
  int64_t padding = 0;

  int64_t given() const { return runs * kept; } ///< Records of a line.
};

/// How lines of elements are sorted by keys of 32 or 64 bits, equal keys in the
/// order of their numbers, as far as the first `kept` of a line: a matter of
/// shape alone. What is sorted is a record: the key and the number within the
/// line, one integer where 64 bits hold both. Each is there once, so that
/// whatever sorts is stable.
class SortPlan {
public:
  /// The longest line.
  static constexpr int64_t kMostElements = int64_t(1) << 30;

  SortPlan(int64_t lines, int64_t size, int64_t kept, unsigned keyBits);

  const int64_t lines;
  const unsigned keyBits;
  llvm::SmallVector<SortStep> steps;

  bool isPacked() const { return keyBits <= 32; }
  /// Temporaries that the first `count` steps hand their records over in, and
  /// which of them step `step` writes.
  std::vector<TensorType> temporaries(size_t count) const;
  llvm::SmallVector<KernelBuffer> given(size_t step) const;

private:
  void addBlocks(int64_t from, int64_t sorted, int64_t kept, int64_t padding);
};

/// What a launch of a sort begins and ends with.
struct SortEnds {
  /// The key (i32 or i64, compared unsigned) of an element; asked in the first
  /// step.
  llvm::function_ref<mlir::Value(const Index &line, const Index &number)> keyOf;
  /// Gets what stands at `place`; null: records go to the next step.
  llvm::function_ref<void(const Index &line, const Index &place,
                          const Index &number)>
      take;
};

/// Fills the kernel of step `step`, whose temporaries are the plan's first.
void emitSortStep(KernelFunction &kernel, const SortPlan &plan, size_t step,
                  const SortEnds &ends);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_SORTING_H
