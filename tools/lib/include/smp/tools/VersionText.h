// SPDX-License-Identifier: Apache-2.0
// What --version of a tool says.

#ifndef SMP_TOOLS_VERSIONTEXT_H
#define SMP_TOOLS_VERSIONTEXT_H

#include <string>
#include <string_view>

namespace smp {

/// "smp-run 0.1.0", and a line each of the formats of programs and of
/// checkpoints that this version of smp reads and writes; no end of line behind
/// the last.
std::string versionText(std::string_view tool);

} // namespace smp

#endif // SMP_TOOLS_VERSIONTEXT_H
