// SPDX-License-Identifier: Apache-2.0
#include "Options.h"
#include "smp/tools/Subcommands.h"
#include <CLI/CLI.hpp>

namespace smp {

static constexpr const char *kPrefix = "What its files begin with, as "
                                       "run/ckpt-3 for run/ckpt-3.json or "
                                       "run/ckpt-3.index";
static constexpr const char *kTarget =
    "What the files begin with that are written, as other/ckpt-3; the folder "
    "is made where it is missing";

/// CLI11's own names a bound of 300 digits.
static std::string refuseNotAboveZero(const std::string &text) {
  double number = 0;
  return CLI::detail::lexical_cast(text, number) && number > 0
             ? std::string()
             : "'" + text + "' is not a number above 0";
}

namespace {

class Parser : public Subcommands {
public:
  explicit Parser(Options &options)
      : Subcommands("smp-checkpoint",
                    "Tells what checkpoints of smp and bundles of TensorFlow "
                    "hold, checks and compares them, converts the one into the "
                    "other, divides them into other files, and deletes old "
                    "ones.",
                    "Exit code: 0, or 1 after one message on the standard "
                    "error; of diff 0, 1\nor 2. What takes long draws a bar on "
                    "the standard error, if that is a\nterminal. Interrupted, "
                    "it leaves nothing behind."),
        options(options) {
    addTellers();
    addDiff();
    addConvert();
    addReshard();
    addPrune();
  }

private:
  CLI::App *add(Command command, const char *name, const char *description) {
    CLI::App *added = Subcommands::add(
        name, description, [this, command] { options.command = command; });
    addJson(added, options.isJson);
    return added;
  }
  void addQuiet(CLI::App *command) {
    command->add_flag("--quiet", options.isQuiet, "Draw no bar on a terminal");
  }
  void addPath(CLI::App *command, const char *name, size_t index,
               const char *description) {
    Subcommands::addPath(command, name, options.paths, index, description);
  }

  void addTellers() {
    addPath(add(Command::List, "list",
                "Lists the checkpoints and bundles in a folder, and which the "
                "file `checkpoint` names the latest."),
            "FOLDER", 0, "The folder");
    addPath(add(Command::Show, "show", "Lists the tensors of a checkpoint."),
            "CHECKPOINT", 0, kPrefix);
    CLI::App *verify = add(Command::Verify, "verify",
                           "Checks every byte of checkpoints. Exit code 1: "
                           "one is not what was written.");
    verify->add_option("CHECKPOINT", options.paths, kPrefix)
        ->required()
        ->type_name(" ");
    addQuiet(verify);
  }

  void addDiff() {
    CLI::App *diff =
        add(Command::Diff, "diff",
            "Tells what tensors of two checkpoints, of either format, differ: "
            "those that one of them lacks, types and shapes, and values. Exit "
            "code: 0, all are equal; 1, some differ; 2, it could not be found "
            "out.");
    addPath(diff, "ONE", 0, kPrefix);
    addPath(diff, "OTHER", 1, kPrefix);
    addQuiet(diff);
    diff->footer(
        "Elements are compared by their bits: a NaN is equal to itself, and 0 "
        "is not\nequal to -0. Of those that differ it tells how many, the "
        "largest |one - other|,\nthe largest |one - other| / max(|one|, "
        "|other|), how many have no number on\none side (a NaN, an infinity, a "
        "text, a type that smp does not have), which\ncount for neither, and "
        "the index of the first. A text of a bundle is its bytes,\nas u8. "
        "Steps, devices and times are not compared.");
  }

  void addConvert() {
    ConvertOptions &to = options.convert;
    CLI::App *convert = add(
        Command::Convert, "convert",
        "Writes a checkpoint of smp as a bundle of TensorFlow, or a bundle as "
        "a checkpoint of smp, whichever FROM is not. Every byte that is read "
        "is checked. What is written appears complete or not at all, and "
        "nothing is replaced. Beside it the file `checkpoint` is made when "
        "there is none. Fails while a manager saves under the name of TO.");
    convert->add_option("FROM", to.from, kPrefix)->required()->type_name(" ");
    convert->add_option("TO", to.to, kTarget)->required()->type_name(" ");
    const std::map<std::string, BundleNames> kinds = {
        {"path", BundleNames::Paths}, {"full", BundleNames::FullNames}};
    convert
        ->add_option("--names", to.names,
                     "What tensors of a bundle with objects are called: by "
                     "their path from the root, as model/layers/0/kernel, or "
                     "by the full name of the variable, as dense/kernel. "
                     "Default: path")
        ->type_name("path|full")
        ->transform(CLI::CheckedTransformer(kinds).description(""));
    convert
        ->add_option("--root", to.root,
                     "Put this and a slash before every name: with model, w "
                     "becomes model/w")
        ->type_name("ROOT");
    convert
        ->add_option("--rename", to.rename,
                     "A JSON object of names, each with the name that the "
                     "tensor gets, or with null for a tensor that is left out")
        ->type_name("FILE");
    addQuiet(convert);
    convert->footer(
        "Examples:\n"
        "  smp-checkpoint convert run/ckpt-3 tf/ckpt-3\n"
        "  smp-checkpoint convert keras/ckpt-1 run/ckpt-1 --root model\n"
        "  echo '{\"model/dense/kernel\": \"model/first.w\", \"table\": null}' "
        ">names\n"
        "  smp-checkpoint convert tf/ckpt-1 run/ckpt-1 --rename names");
  }

  void addReshard() {
    CLI::App *reshard = add(
        Command::Reshard, "reshard",
        "Writes what a checkpoint of smp holds to other files. Names, values, "
        "layouts, steps and the time stay; every byte that is read is "
        "checked. What is written appears complete or not at all, and nothing "
        "is replaced. Beside it the file `checkpoint` is made when there is "
        "none. Fails while a manager saves under the name of TO.");
    addPath(reshard, "FROM", 0, kPrefix);
    addPath(reshard, "TO", 1, kTarget);
    CLI::Option_group *how = reshard->add_option_group("how");
    how->add_option("--max-shard-bytes", options.maxShardBytes,
                    "Shards of at most so many bytes of tensors, which are cut "
                    "where they are larger; a shard is a file of parameters "
                    "and one of the rest")
        ->type_name("N")
        ->check(refuseNotAboveZero);
    how->add_flag("--one-file", isOneFile,
                  "All parameters in one file, and the rest in one");
    how->require_option(1);
    addQuiet(reshard);
    reshard->footer(
        "Examples:\n"
        "  smp-checkpoint reshard run/ckpt-3 small/ckpt-3 --max-shard-bytes "
        "1000000000\n"
        "  smp-checkpoint reshard run/ckpt-3 whole/ckpt-3 --one-file");
  }

  void addPrune() {
    CheckpointManagerOptions &to = options.prune;
    CLI::App *prune = add(
        Command::Prune, "prune",
        "Deletes checkpoints of a folder, by the rules of a manager: of those "
        "that the file `checkpoint` lists the newest stay, the latest, those "
        "that are pinned, the best and one for every so many hours. Tells of "
        "each whether it is deleted, and why. Removes also what saves and "
        "deletions left that were killed. Fails while a manager saves under "
        "the name.");
    prune->add_option("FOLDER", to.directory, "The folder")
        ->required()
        ->type_name(" ");
    prune
        ->add_option("--name", to.checkpointName,
                     "What the checkpoints are called: ckpt for ckpt-3. "
                     "Default: ckpt")
        ->type_name("NAME");
    CLI::Option *newest = addCount(prune, "--max-to-keep", to.maxToKeep,
                                   "So many of the newest stay. Default: all");
    prune
        ->add_option("--keep-every-hours", to.keepEveryHours,
                     "Of the others, one stays for ever for each so many "
                     "hours, and is listed no more")
        ->type_name("H")
        ->check(refuseNotAboveZero)
        ->needs(newest);
    addBest(prune, newest);
    prune->add_flag("--dry-run", options.isDryRun,
                    "Change nothing, and tell what would be deleted");
    prune->footer("Examples:\n"
                  "  smp-checkpoint prune run --max-to-keep 3 --dry-run\n"
                  "  smp-checkpoint prune run --max-to-keep 3 --keep-best 2");
  }

  static CLI::Option *addCount(CLI::App *command, const char *name,
                               std::optional<int64_t> &count,
                               const char *description) {
    return command->add_option(name, count, description)
        ->type_name("N")
        ->check(refuseNotAboveZero);
  }

  void addBest(CLI::App *prune, CLI::Option *newest) {
    CLI::Option *best = addCount(
        prune, "--keep-best", keepBest,
        "So many of the best stay, by the metrics that they were saved with");
    const std::map<std::string, KeepBest::Better> kinds = {
        {"smaller", KeepBest::Better::Smaller},
        {"larger", KeepBest::Better::Larger}};
    prune
        ->add_option("--better", better,
                     "Which of two metrics is better. Default: smaller")
        ->type_name("smaller|larger")
        ->transform(CLI::CheckedTransformer(kinds).description(""))
        ->needs(best);
    best->needs(newest);
    prune->callback([this] {
      if (keepBest)
        options.prune.keepBest = KeepBest{*keepBest, better};
    });
  }

  Options &options;
  std::optional<int64_t> keepBest;
  KeepBest::Better better = KeepBest::Better::Smaller;
  bool isOneFile = false; // What it is without a size.
};

} // namespace

int Options::parse(int argc, char **argv) {
  return Parser(*this).parse(argc, argv, [this] { return exitCodeOfErrors(); });
}

} // namespace smp
