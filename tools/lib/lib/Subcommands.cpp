// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Subcommands.h"
#include "smp/tools/Arguments.h"
#include <CLI/CLI.hpp>

namespace smp {

Subcommands::Subcommands(const std::string &tool,
                         const std::string &description,
                         const std::string &footer)
    : app(std::make_unique<CLI::App>(description, tool)) {
  app->require_subcommand(1);
  app->footer(tool + " COMMAND --help tells about one of them.\n" + footer);
}

Subcommands::~Subcommands() = default;

int Subcommands::parse(int argc, char **argv,
                       const std::function<int()> &exitCodeOfErrors) {
  return parseArguments(*app, app->get_name(), argc, argv, exitCodeOfErrors);
}

CLI::App *Subcommands::add(const char *name, const char *description,
                           std::function<void()> onChosen) {
  CLI::App *added = app->add_subcommand(name, description);
  added->preparse_callback(
      [chosen = std::move(onChosen)](size_t) { chosen(); });
  return added;
}

void Subcommands::addJson(CLI::App *command, bool &isJson) {
  command->add_flag("--json", isJson, "Print JSON, for other programs");
}

void Subcommands::addPath(CLI::App *command, const char *name,
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

} // namespace smp
