// SPDX-License-Identifier: Apache-2.0
// Who runs a conformance case.

#ifndef SMP_CONFORMANCE_BACKEND_H
#define SMP_CONFORMANCE_BACKEND_H

#include "Suite.h"

namespace smp::conformance {

struct Outcome {
  std::vector<HostTensor> outputs; ///< In the model's order.
  std::string error;               ///< Empty: it ran.
};

/// Imports a model and runs it once.
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

} // namespace smp::conformance

#endif // SMP_CONFORMANCE_BACKEND_H
