// SPDX-License-Identifier: Apache-2.0
// Values of a tensor between its elements, as sums of weighted elements.

#ifndef SMP_IMPORT_LIB_OPS_SAMPLING_H
#define SMP_IMPORT_LIB_OPS_SAMPLING_H

#include "../Node.h"

namespace smp::frontend {

/// An element of one dimension that takes part in a value between elements.
struct Tap {
  Value index;  ///< i64, inside the dimension.
  Value weight; ///< Float; zero where the element does not count.
};

/// The taps of linear interpolation at `position` in a dimension of `size`,
/// outside of which lie zeros.
llvm::SmallVector<Tap> linearTaps(Emitter &emit, Value position, int64_t size);

/// The weighted elements of all combinations of one tap per dimension, summed
/// or, with `takesMax`, the greatest of them. `x` is [batch, features,
/// spatial...]; taps are [batch, points]; the result is [batch, points,
/// features].
Value combineTaps(Emitter &emit, Value x,
                  llvm::ArrayRef<llvm::SmallVector<Tap>> taps,
                  bool takesMax = false);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_OPS_SAMPLING_H
