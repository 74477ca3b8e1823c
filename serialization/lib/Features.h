// SPDX-License-Identifier: Apache-2.0
// What an older reader would run wrongly: see VERSIONS.md.

#ifndef SMP_SERIALIZATION_LIB_FEATURES_H
#define SMP_SERIALIZATION_LIB_FEATURES_H

#include "smp/serialization/Program.h"

namespace smp {

/// The features that a reader must know to run the program, in a fixed order.
std::vector<std::string> requiredFeatures(const Program &program);

/// The least program version, from 4 on, whose schema can say all that the
/// program has.
uint32_t programVersionOf(const Program &program);

/// Whether this reader knows the feature.
bool isKnownFeature(std::string_view name);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_FEATURES_H
