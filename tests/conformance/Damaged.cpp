// SPDX-License-Identifier: Apache-2.0
#include "Damaged.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <fstream>

namespace smp::conformance {

/// Longer models hold weights, most bytes of which are alike.
static constexpr size_t kMostPlaces = 4096;

std::string importDamaged(const Case &test) {
  std::ifstream file(test.model(), std::ios::binary);
  std::string model{std::istreambuf_iterator<char>(file), {}};
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  int errors = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    errors += d.getSeverity() == mlir::DiagnosticSeverity::Error;
    return mlir::success();
  });
  size_t stride = model.size() / kMostPlaces + 1;
  for (size_t at = 0; at < model.size(); at += stride)
    for (int change : {1 << at % 8, 0xFF}) {
      std::string damaged = model;
      damaged[at] = char(damaged[at] ^ change);
      errors = 0;
      bool isModel = succeeded(
          importOnnx(&context, damaged, "m.onnx", test.folder.string(), {}));
      if (errors != (isModel ? 0 : 1))
        return "byte " + std::to_string(at) + " ^ " + std::to_string(change) +
               ": " + (isModel ? "a model, and " : "no model, but ") +
               std::to_string(errors) + " errors";
    }
  return {};
}

} // namespace smp::conformance
