// SPDX-License-Identifier: Apache-2.0
// smp::init() from JSON. The configuration as a struct: smp/import/Partition.h.

#ifndef SMP_COMPILE_INIT_H
#define SMP_COMPILE_INIT_H

#include "smp/import/Partition.h"
#include <string>

namespace smp {

/// Sets the configuration of this process, from JSON text that begins with `{`
/// or from the file of this path: what readConfig() takes.
Status init(const std::string &pathOrText);

} // namespace smp

#endif // SMP_COMPILE_INIT_H
