// SPDX-License-Identifier: Apache-2.0
// What is done to a module before it is placed.

#ifndef SMP_TESTS_E2E_PLANNING_READYTOPLACE_H
#define SMP_TESTS_E2E_PLANNING_READYTOPLACE_H

#include "mlir/IR/BuiltinOps.h"
#include "smp/passes/CostModel.h"
#include <string>
#include <vector>

namespace smp::test {

/// As fast as the target cpu says that a core is.
inline constexpr passes::MachineModel kCore{.flopsPerSecond = 9e10,
                                            .bytesPerSecond = 2.5e10,
                                            .launchSeconds = 1e-6,
                                            .transferBytesPerSecond = 8e9,
                                            .transferSeconds = 5e-6};

/// Trains what is to be trained, and gives partitions their targets, as
/// compile() does: one for all, or one for each; none given: what the module
/// says, else cpu. False where that cannot be done.
bool makeReadyToPlace(mlir::ModuleOp module,
                      const std::vector<std::string> &targets = {});

} // namespace smp::test

#endif // SMP_TESTS_E2E_PLANNING_READYTOPLACE_H
