// SPDX-License-Identifier: Apache-2.0
// The attributes of operators that slide a window.

#ifndef SMP_IMPORT_LIB_OPS_WINDOW_H
#define SMP_IMPORT_LIB_OPS_WINDOW_H

#include "../Node.h"

namespace smp::frontend {

/// A window per spatial dimension; all lists have one item each.
struct Window {
  IntVector kernel, strides, dilations, low, high;
  /// How much of `high` is there only because the size was rounded up.
  IntVector extra;

  /// The input's elements under the window, first to last.
  int64_t reach(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// Reads kernel_shape (or takes `kernel`, when given), strides, dilations,
/// pads, auto_pad and ceil_mode for an input of these spatial sizes; nothing
/// after an error.
std::optional<Window>
readWindow(Node &node, Ints spatial,
           std::optional<IntVector> kernel = std::nullopt);

/// The spatial sizes of an activation [batch, features, spatial...]; nothing
/// and an error when its rank is below 3.
std::optional<Ints> spatialOf(Node &node, Value x);

/// The attributes `strides`, `low`, `high`, `dilations`, with `window` when
/// the op has it.
llvm::SmallVector<mlir::NamedAttribute>
windowAttributes(Emitter &emit, const Window &window, bool withWindow);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_OPS_WINDOW_H
