// SPDX-License-Identifier: Apache-2.0
// Which dimensions a reshape turns into which.

#ifndef SMP_PASSES_KERNELS_LIB_RESHAPERUNS_H
#define SMP_PASSES_KERNELS_LIB_RESHAPERUNS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace smp::passes {

/// Dimensions [inBegin, inEnd) of a shape and [outBegin, outEnd) of another
/// with the same number of elements.
struct ReshapeRun {
  int64_t inBegin, inEnd, outBegin, outEnd;
  bool isOneToOne() const {
    return inEnd - inBegin == 1 && outEnd - outBegin == 1;
  }
};

/// The shortest runs, in order, that together are both shapes. A run without
/// dimensions on one side is of unit dimensions. Nothing when a size is 0.
std::optional<llvm::SmallVector<ReshapeRun>>
reshapeRuns(llvm::ArrayRef<int64_t> in, llvm::ArrayRef<int64_t> out);

} // namespace smp::passes

#endif // SMP_PASSES_KERNELS_LIB_RESHAPERUNS_H
