// SPDX-License-Identifier: Apache-2.0
// The command line of the runtime's tools.

#ifndef SMP_TOOLS_ARGUMENTS_H
#define SMP_TOOLS_ARGUMENTS_H

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace smp {

/// Makes --version say versionText(), and reads the arguments. -1, or the exit
/// code when nothing is left to do: 0 after a text that was asked for, and what
/// `exitCodeOfErrors` gives after a message on the standard error, be it that
/// the text could not be printed.
int parseArguments(
    CLI::App &app, const std::string &tool, int argc, char **argv,
    const std::function<int()> &exitCodeOfErrors = [] { return 1; });

} // namespace smp

#endif // SMP_TOOLS_ARGUMENTS_H
