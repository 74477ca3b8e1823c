// SPDX-License-Identifier: Apache-2.0
// What the tools on LLVM's command line have in common.

#ifndef SMP_TOOLS_COMMANDLINE_H
#define SMP_TOOLS_COMMANDLINE_H

#include "smp/base/Status.h"
#include "llvm/ADT/StringRef.h"

namespace smp {

/// How a tool begins: --version says versionText(), the targets with the levels
/// of their kernels, and LLVM's version. The name is borrowed for good. Where a
/// process ends by exit() and its standard output could not be written, it says
/// so and has the exit code 1.
void startTool(llvm::StringRef tool);

/// Writes the text to a file, or for "-" to the standard output.
Status writeOutput(llvm::StringRef text, const std::string &path);

/// How a tool ends: says what went wrong, be it that the standard output could
/// not be written, and returns the exit code.
int endTool(Status status);

} // namespace smp

#endif // SMP_TOOLS_COMMANDLINE_H
