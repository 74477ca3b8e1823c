// SPDX-License-Identifier: Apache-2.0
// Imported models, by the reference evaluator.

#ifndef SMP_CONFORMANCE_EVALUATEMODEL_H
#define SMP_CONFORMANCE_EVALUATEMODEL_H

#include "Backend.h"

namespace smp::conformance {

/// The first error that the context's ops tell, while this lives.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext *context);
  const std::string &text() const { return message; }

private:
  std::string message;
  mlir::ScopedDiagnosticHandler handler;
};

/// Has its only entry's gradients computed. False: an error was told.
bool differentiate(ImportedModel &model);

/// What its first entry gives. An error of an op is told, and not in the
/// outcome.
Outcome evaluateModel(ImportedModel &model,
                      const std::vector<NamedTensor> &inputs);

} // namespace smp::conformance

#endif // SMP_CONFORMANCE_EVALUATEMODEL_H
