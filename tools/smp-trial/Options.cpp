// SPDX-License-Identifier: Apache-2.0
#include "Options.h"
#include "smp/base/Version.h"
#include "smp/model/TensorReduction.h"
#include <CLI/CLI.hpp>

namespace smp {

namespace {

/// The command line of one command after the other.
class Parser {
public:
  explicit Parser(Options &options) : options(options) {
    app.require_subcommand(1);
    app.set_version_flag("--version",
                         "smp-trial " + std::string(versionString()));
    app.footer("smp-trial COMMAND --help tells about one of them.\n"
               "Exit code: 0, or 1 after one message on the standard error; of "
               "diff 0, 1\nor 2. Index files that cannot be read are named on "
               "the standard error; their\nsteps are left out.");
    addList();
    addShow();
    addDiff();
  }

  int parse(int argc, char **argv) {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
      return app.exit(error) == 0 ? 0 : options.exitCodeOfErrors();
    }
    return -1;
  }

private:
  CLI::App *add(Command command, const char *name, const char *description) {
    CLI::App *added = app.add_subcommand(name, description);
    added->preparse_callback(
        [this, command](size_t) { options.command = command; });
    added->add_flag("--json", options.isJson, "Print JSON, for other programs");
    return added;
  }
  /// The folder that the list has at `index`.
  void addFolder(CLI::App *command, const char *name, size_t index) {
    command
        ->add_option_function<std::string>(
            name,
            [this, index](const std::string &path) {
              options.folders.resize(
                  std::max(options.folders.size(), index + 1));
              options.folders[index] = path;
            },
            "What a hook wrote")
        ->required()
        ->type_name(" ");
  }
  void addMode(CLI::App *command) {
    command
        ->add_option_function<std::string>(
            "--mode",
            [this](const std::string &name) {
              options.mode = *parseEventMode(name);
            },
            "Steps of this mode only, by its own numbers")
        ->check(CLI::IsMember({"TRAIN", "EVAL", "PREDICT", "GLOBAL"}))
        ->type_name("MODE");
  }
  void addRegex(CLI::App *command) {
    command
        ->add_option("--regex", options.regex,
                     "Tensors in whose names it is found")
        ->type_name("REGEX");
  }

  void addList() {
    CLI::App *list = add(Command::List, "list",
                         "Lists the steps, workers, collections and tensors "
                         "of a trial.");
    addFolder(list, "FOLDER", 0);
    addMode(list);
    addRegex(list);
    list->add_option("--collection", options.collection,
                     "Tensors of this collection")
        ->type_name("NAME");
  }

  void addShow() {
    CLI::App *show = add(Command::Show, "show",
                         "Prints a number of a tensor for each step.");
    addFolder(show, "FOLDER", 0);
    show->add_option("TENSOR", options.tensor, "Its name")
        ->required()
        ->type_name(" ");
    show->add_option("--reduction", options.reduction,
                     "As it was saved, or else of the elements: " +
                         listReductions(ReductionWords::Stored) +
                         ". Without it the value, of one element")
        ->type_name("NAME");
    show->add_option("--worker", options.worker,
                     "Who saved it; the first one otherwise")
        ->type_name("NAME");
    addMode(show);
    show->add_flag("--follow", options.isFollowed,
                   "Print what comes until the run has ended");
  }

  void addDiff() {
    CLI::App *diff =
        add(Command::Diff, "diff",
            "Tells the first step, and in it the first tensor in the order in "
            "which they were saved, whose bits differ. Exit code: 0, all are "
            "equal; 1, some differ; 2, it could not be found out.");
    addFolder(diff, "ONE", 0);
    addFolder(diff, "OTHER", 1);
    addRegex(diff);
  }

  Options &options;
  CLI::App app{"What hooks wrote: lists it, prints it, compares it.",
               "smp-trial"};
};

} // namespace

int Options::parse(int argc, char **argv) {
  return Parser(*this).parse(argc, argv);
}

} // namespace smp
