// SPDX-License-Identifier: Apache-2.0
// Which values of a program may be watched.

#ifndef SMP_PASSES_PIPELINE_TAPS_H
#define SMP_PASSES_PIPELINE_TAPS_H

#include "smp/ir/Smp.h"
#include <functional>

namespace smp::passes {

/// Whether a value of this name, which is that to its entry, may be watched.
using TapChooser = std::function<bool(llvm::StringRef name, ir::TapRole role)>;

/// `smp-insert-taps` with a chooser.
void insertTaps(mlir::ModuleOp module, const TapChooser &isWatched);

} // namespace smp::passes

#endif // SMP_PASSES_PIPELINE_TAPS_H
