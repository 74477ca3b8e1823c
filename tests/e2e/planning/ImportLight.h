// SPDX-License-Identifier: Apache-2.0
// ONNX's light models as modules.

#ifndef SMP_E2E_PLANNING_IMPORTLIGHT_H
#define SMP_E2E_PLANNING_IMPORTLIGHT_H

#include "smp/import/OnnxImport.h"
#include <functional>
#include <string>

namespace smp::test {

/// Calls `use` with the light model of the name, or skips the test where there
/// are no light models.
void importLight(
    const std::string &name,
    const std::function<void(mlir::ModuleOp, const ir::WeightStore &)> &use);

} // namespace smp::test

#endif // SMP_E2E_PLANNING_IMPORTLIGHT_H
