// SPDX-License-Identifier: Apache-2.0
// What the tools on LLVM's command line have in common.

#ifndef SMP_TOOLS_COMMANDLINE_H
#define SMP_TOOLS_COMMANDLINE_H

#include "smp/base/Status.h"
#include "llvm/ADT/StringRef.h"

namespace smp {

/// Makes --version say versionText(), the targets with the levels of their
/// kernels, and LLVM's version.
void showVersion(llvm::StringRef tool);

/// Writes the text to a file, or for "-" to the standard output.
Status writeOutput(llvm::StringRef text, const std::string &path);

/// How a tool ends: says what went wrong, be it that the standard output could
/// not be written, and returns the exit code.
int endTool(llvm::StringRef tool, Status status);

} // namespace smp

#endif // SMP_TOOLS_COMMANDLINE_H
