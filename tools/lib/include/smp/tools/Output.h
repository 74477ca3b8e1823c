// SPDX-License-Identifier: Apache-2.0
// The standard output of the runtime's tools.

#ifndef SMP_TOOLS_OUTPUT_H
#define SMP_TOOLS_OUTPUT_H

#include "smp/base/Status.h"
#include <string_view>

namespace smp {

/// Prints the text, all of which is written when it returns ok.
Status printOutput(std::string_view text);

} // namespace smp

#endif // SMP_TOOLS_OUTPUT_H
