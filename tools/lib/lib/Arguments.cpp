// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Arguments.h"
#include "smp/tools/Output.h"
#include "smp/tools/VersionText.h"
#include <CLI/CLI.hpp>
#include <sstream>

namespace smp {

/// A mistyped option takes the place of one that is then missed: it is what a
/// person wants to hear of.
static void parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError &) {
    std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
    if (unknown.empty())
      throw;
    throw CLI::ExtrasError(app.get_name(), std::move(unknown));
  }
}

int parseArguments(CLI::App &app, const std::string &tool, int argc,
                   char **argv, const std::function<int()> &exitCodeOfErrors) {
  app.set_version_flag("--version", versionText(tool));
  try {
    parse(app, argc, argv);
  } catch (const CLI::ParseError &error) {
    std::ostringstream asked, wrong;
    const bool isAsked = app.exit(error, asked, wrong) == 0;
    std::fputs(wrong.str().c_str(), stderr);
    const Status printed = printOutput(asked.str());
    if (!printed.ok())
      std::fprintf(stderr, "%s: %s\n", tool.c_str(), printed.message().c_str());
    return isAsked && printed.ok() ? 0 : exitCodeOfErrors();
  }
  return -1;
}

} // namespace smp
