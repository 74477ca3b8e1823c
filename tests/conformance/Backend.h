// SPDX-License-Identifier: Apache-2.0
// Who runs a conformance case.

#ifndef SMP_CONFORMANCE_BACKEND_H
#define SMP_CONFORMANCE_BACKEND_H

#include "Suite.h"

namespace smp::conformance {

/// Errors that begin so are no failures.
inline constexpr char kRefused[] = "refused: ";

struct Outcome {
  std::vector<HostTensor> outputs; ///< In the model's order.
  std::string error;               ///< Empty: it ran.
};

/// Imports a model and runs it once. For one thread.
class Backend {
public:
  virtual ~Backend() = default;
  /// `inputs` are all of the model's; those also in `bound` are constants for
  /// the compiler.
  virtual Outcome run(const Case &test, const std::vector<NamedTensor> &inputs,
                      const std::map<std::string, HostTensor> &bound) = 0;
};

/// The importer and the reference evaluator, in this process.
std::unique_ptr<Backend> makeReferenceBackend();

/// The same of what the model is exported to. Where an op has no counterpart in
/// ONNX the error begins with kRefused. `folder` keeps the models, as
/// <case>.onnx; empty: they are not kept.
std::unique_ptr<Backend> makeExportedBackend(std::string folder);

/// The importer and the reference evaluator, and the model is exported for
/// TensorFlow. Where an op has no counterpart there the error begins with
/// kRefused. `folder` keeps the models, as the folders <case>, with the bundles
/// <case>.values: inputs as input/<name>, what they give as output/<name>.
/// Empty: they are not kept.
std::unique_ptr<Backend> makeSavedModelBackend(std::string folder);

/// What an application does, in this process: import, compile for this
/// machine's level, read the program, open a Session, step.
std::unique_ptr<Backend> makeCompiledBackend();

/// The value for an input: that of its name or, where the oldest cases have no
/// names, that of its place. Null: none.
const NamedTensor *findInput(const std::vector<NamedTensor> &inputs,
                             std::string_view name, size_t place);

} // namespace smp::conformance

#endif // SMP_CONFORMANCE_BACKEND_H
