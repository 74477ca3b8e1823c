// SPDX-License-Identifier: Apache-2.0
// smp.json: the configuration as JSON.

#ifndef SMP_SERIALIZATION_CONFIG_H
#define SMP_SERIALIZATION_CONFIG_H

#include "smp/base/Status.h"
#include "smp/model/Config.h"

namespace smp {

/// Reads a configuration: JSON text that begins with `{`, or the path of a file
/// that holds such text. The keys are bare, or below
/// smdistributed.modelparallel.parameters, which may itself be a path (relative
/// paths start from the file that names them). A key that smp does not know, or
/// that asks for what does not work yet, is an error that names it.
StatusOr<Config> readConfig(const std::string &pathOrText);

} // namespace smp

#endif // SMP_SERIALIZATION_CONFIG_H
