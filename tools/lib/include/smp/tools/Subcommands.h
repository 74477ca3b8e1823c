// SPDX-License-Identifier: Apache-2.0
// The command line of a tool that has several commands.

#ifndef SMP_TOOLS_SUBCOMMANDS_H
#define SMP_TOOLS_SUBCOMMANDS_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace smp {

/// A tool derives from it and adds its commands.
class Subcommands {
public:
  /// -1, or the exit code when nothing is left to do: where it is called
  /// wrongly, what `exitCodeOfErrors` gives.
  int parse(int argc, char **argv,
            const std::function<int()> &exitCodeOfErrors);

protected:
  /// `footer` follows a line that says how to learn more of a command.
  Subcommands(const std::string &tool, const std::string &description,
              const std::string &footer);
  ~Subcommands();

  /// `onChosen` is called before the options of the command are read.
  CLI::App *add(const char *name, const char *description,
                std::function<void()> onChosen);
  static void addJson(CLI::App *command, bool &isJson);
  /// A path that `list` has at `index`.
  static void addPath(CLI::App *command, const char *name,
                      std::vector<std::string> &list, size_t index,
                      const char *description);

private:
  std::unique_ptr<CLI::App> app;
};

} // namespace smp

#endif // SMP_TOOLS_SUBCOMMANDS_H
