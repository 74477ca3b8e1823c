// SPDX-License-Identifier: Apache-2.0
// The keys of a configuration.

#ifndef SMP_SERIALIZATION_LIB_CONFIGKEYS_H
#define SMP_SERIALIZATION_LIB_CONFIGKEYS_H

#include "smp/base/Status.h"
#include "smp/model/Config.h"
#include <nlohmann/json.hpp>

namespace smp {

using Json = nlohmann::json;

/// Checks an object's keys in the order in which their errors are promised, and
/// reads them.
StatusOr<Config> readKeys(const Json &parameters);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_CONFIGKEYS_H
