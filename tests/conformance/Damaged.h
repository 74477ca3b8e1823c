// SPDX-License-Identifier: Apache-2.0
// What the importer makes of damaged models.

#ifndef SMP_CONFORMANCE_DAMAGED_H
#define SMP_CONFORMANCE_DAMAGED_H

#include "Suite.h"

namespace smp::conformance {

/// Imports the case's model with each byte in turn changed, in a few ways: each
/// time there must be a model or one error. Empty when there was.
std::string importDamaged(const Case &test);

} // namespace smp::conformance

#endif // SMP_CONFORMANCE_DAMAGED_H
