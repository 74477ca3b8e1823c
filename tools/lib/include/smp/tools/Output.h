// SPDX-License-Identifier: Apache-2.0
// The standard output of the runtime's tools.

#ifndef SMP_TOOLS_OUTPUT_H
#define SMP_TOOLS_OUTPUT_H

#include "smp/base/Status.h"

namespace smp {

/// Whether everything that was printed has been written.
Status finishOutput();

} // namespace smp

#endif // SMP_TOOLS_OUTPUT_H
