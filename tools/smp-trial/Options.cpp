// SPDX-License-Identifier: Apache-2.0
#include "Options.h"
#include "smp/base/Lists.h"
#include "smp/model/TensorReduction.h"
#include "smp/rules/BuiltInRules.h"
#include "smp/tools/Subcommands.h"
#include <CLI/CLI.hpp>

namespace smp {

namespace {

class Parser : public Subcommands {
public:
  explicit Parser(Options &options)
      : Subcommands("smp-trial",
                    "What hooks wrote: lists it, prints it, draws it, compares "
                    "and checks it.",
                    "Exit code: 0, or 1 after one message on the standard "
                    "error; of diff and\ncheck 0, 1 or 2. Index files that "
                    "cannot be read are named on the standard error;\ntheir "
                    "steps are left out."),
        options(options) {
    addList();
    addShow();
    addPlot();
    addDiff();
    addCheck();
  }

private:
  CLI::App *add(Command command, const char *name, const char *description) {
    return Subcommands::add(name, description,
                            [this, command] { options.command = command; });
  }
  void addJson(CLI::App *command) {
    Subcommands::addJson(command, options.isJson);
  }
  void addFolder(CLI::App *command, const char *name, size_t index) {
    addPath(command, name, options.folders, index, "What a hook wrote");
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
  /// Which number of a tensor.
  void addNumber(CLI::App *command) {
    command
        ->add_option("--reduction", options.reduction,
                     "As it was saved, or else of the elements: " +
                         listReductions(ReductionWords::Stored) +
                         ". Without it the value, of one element")
        ->type_name("NAME");
    command
        ->add_option("--worker", options.worker,
                     "Who saved it; the first one otherwise")
        ->type_name("NAME");
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
    addJson(list);
  }

  void addShow() {
    CLI::App *show = add(Command::Show, "show",
                         "Prints a number of a tensor for each step.");
    addFolder(show, "FOLDER", 0);
    show->add_option("TENSOR", options.tensor, "Its name")
        ->required()
        ->type_name(" ");
    addNumber(show);
    addMode(show);
    addJson(show);
    show->add_flag("--follow", options.isFollowed,
                   "Print what comes until the run has ended");
  }

  void addPlot() {
    CLI::App *plot = add(Command::Plot, "plot",
                         "Draws a number of tensors step by step, as an SVG "
                         "picture.");
    addFolder(plot, "FOLDER", 0);
    plot->add_option("TENSOR", options.tensors, "Their names")
        ->required()
        ->type_name(" ");
    addNumber(plot);
    addMode(plot);
    plot->add_option("-o,--output", options.output,
                     "The picture, which appears when it is complete")
        ->required()
        ->type_name("FILE");
  }

  void addDiff() {
    CLI::App *diff = add(
        Command::Diff, "diff",
        "Tells the first step, and in it the first tensor in the order of "
        "the graph, of each worker, whose bits differ. Exit code: 0, all are "
        "equal; 1, some differ; 2, it could not be found out.");
    addFolder(diff, "ONE", 0);
    addFolder(diff, "OTHER", 1);
    addRegex(diff);
    addJson(diff);
  }

  void addCheck() {
    CLI::App *check = add(
        Command::Check, "check",
        "Looks for what goes wrong in trainings: tells for each rule that is "
        "met and each tensor the first step, and how many there are. Exit "
        "code: 0, no rule is met; 1, some are; 2, it could not be found out.");
    addFolder(check, "FOLDER", 0);
    check
        ->add_option("--rule", options.rules,
                     "A rule and its parameters, as "
                     "VanishingGradient,threshold=1e-6; a list goes on where "
                     "no '=' follows a comma. May be given several times. "
                     "Without it all rules: " +
                         join(ruleNames(), ", ") +
                         "; TensorVariance only if it is asked for")
        ->expected(1)
        ->take_all()
        ->type_name("NAME[,KEY=VALUE]...");
    addJson(check);
  }

  Options &options;
};

} // namespace

int Options::parse(int argc, char **argv) {
  return Parser(*this).parse(argc, argv, [this] { return exitCodeOfErrors(); });
}

} // namespace smp
