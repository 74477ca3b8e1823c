// SPDX-License-Identifier: Apache-2.0
// The command line of a tool that has several commands.

#ifndef SMP_TOOLS_COMMANDLINE_H
#define SMP_TOOLS_COMMANDLINE_H

#include "smp/base/Version.h"
#include <CLI/CLI.hpp>

namespace smp {

/// Fills `Options`, which have the `command`, `isJson`, and how the tool ends
/// where it is called wrongly (`exitCodeOfErrors`). A tool derives from it and
/// adds its commands.
template <typename Options>
class CommandLine {
public:
  /// -1, or the exit code when nothing is left to do.
  int parse(int argc, char **argv) {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
      return app.exit(error) == 0 ? 0 : options.exitCodeOfErrors();
    }
    return -1;
  }

protected:
  /// `footer` follows a line that says how to learn more of a command.
  CommandLine(Options &options, const std::string &tool,
              const std::string &description, const std::string &footer)
      : options(options), app(description, tool) {
    app.require_subcommand(1);
    app.set_version_flag("--version",
                         tool + " " + std::string(versionString()));
    app.footer(tool + " COMMAND --help tells about one of them.\n" + footer);
  }

  CLI::App *add(decltype(Options::command) command, const char *name,
                const char *description) {
    CLI::App *added = app.add_subcommand(name, description);
    added->preparse_callback(
        [this, command](size_t) { options.command = command; });
    return added;
  }
  void addJson(CLI::App *command) {
    command->add_flag("--json", options.isJson,
                      "Print JSON, for other programs");
  }
  /// A path that `list` has at `index`.
  void addPath(CLI::App *command, const char *name,
               std::vector<std::string> &list, size_t index,
               const char *description) {
    command
        ->add_option_function<std::string>(
            name,
            [&list, index](const std::string &path) {
              list.resize(std::max(list.size(), index + 1));
              list[index] = path;
            },
            description)
        ->required()
        ->type_name(" ");
  }

  Options &options;

private:
  CLI::App app;
};

} // namespace smp

#endif // SMP_TOOLS_COMMANDLINE_H
