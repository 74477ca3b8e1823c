// SPDX-License-Identifier: Apache-2.0
// smp-checkpoint: what is in checkpoints, and their other formats.
#include "Convert.h"
#include "Report.h"
#include "smp/base/Version.h"
#include "smp/tools/Output.h"
#include <CLI/CLI.hpp>
#include <cstdio>

using namespace smp;

static Status print(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return finishOutput();
}

namespace {
/// Of the commands that tell about checkpoints.
struct TellOptions {
  std::vector<std::string> paths;
  bool json = false;

  ReportFormat format() const {
    return json ? ReportFormat::Json : ReportFormat::Text;
  }
};
} // namespace

static Status list(const TellOptions &options) {
  const std::string &folder = options.paths.front();
  SMP_ASSIGN_OR_RETURN(const CheckpointList list, listCheckpoints(folder));
  return print(reportList(folder, list, options.format()));
}

static Status show(const TellOptions &options) {
  const std::string &prefix = options.paths.front();
  SMP_ASSIGN_OR_RETURN(const CheckpointContents contents, readContents(prefix));
  return print(reportContents(prefix, contents, options.format()));
}

static Status verify(const TellOptions &options) {
  std::vector<Verdict> verdicts;
  size_t bad = 0;
  for (const std::string &prefix : options.paths) {
    verdicts.push_back({prefix, verifyCheckpoint(prefix)});
    bad += !verdicts.back().status.ok();
  }
  SMP_RETURN_IF_ERROR(print(reportVerdicts(verdicts, options.format())));
  if (bad == 0)
    return Status();
  return dataLoss(std::to_string(bad) + " of " +
                  std::to_string(verdicts.size()) + " checkpoints are bad");
}

static Status convert(const ConvertOptions &options) {
  SMP_ASSIGN_OR_RETURN(const std::string told, convertCheckpoint(options));
  return print(told);
}

static CLI::App *addTell(CLI::App &app, TellOptions &options, const char *name,
                         const char *description, const char *path) {
  CLI::App *command = app.add_subcommand(name, description);
  CLI::Option *paths =
      command->add_option("path", options.paths, path)->required();
  if (std::string_view(name) != "verify")
    paths->expected(1);
  command->add_flag("--json", options.json, "Print JSON, for other programs");
  return command;
}

static CLI::App *addConvert(CLI::App &app, ConvertOptions &options) {
  CLI::App *convert = app.add_subcommand(
      "convert",
      "Writes a checkpoint of smp as a bundle of TensorFlow, or a bundle as a "
      "checkpoint of smp, whichever FROM is not. Every byte that is read is "
      "checked. What is written appears complete or not at all, and nothing is "
      "replaced. Beside it the file `checkpoint` is made when there is none.");
  convert
      ->add_option("from", options.from,
                   "What its files begin with: run/ckpt-3 for "
                   "run/ckpt-3.json or run/ckpt-3.index")
      ->required()
      ->type_name("FROM");
  convert
      ->add_option("to", options.to,
                   "What the files begin with that are written, as "
                   "converted/ckpt-3; the folder must be there")
      ->required()
      ->type_name("TO");
  const std::map<std::string, BundleNames> kinds = {
      {"path", BundleNames::Paths}, {"full", BundleNames::FullNames}};
  convert
      ->add_option("--names", options.names,
                   "What tensors of a bundle with objects are called: by their "
                   "path from the root, as model/layers/0/kernel, or by the "
                   "full name of the variable, as dense/kernel. Default: path")
      ->type_name("path|full")
      ->transform(CLI::CheckedTransformer(kinds).description(""));
  convert
      ->add_option("--root", options.root,
                   "Put this and a slash before every name: with model, w "
                   "becomes model/w")
      ->type_name("ROOT");
  convert
      ->add_option("--rename", options.rename,
                   "A JSON object of names, each with the name that the tensor "
                   "gets, or with null for a tensor that is left out")
      ->type_name("FILE");
  convert->footer(
      "Examples:\n"
      "  smp-checkpoint convert run/ckpt-3 tf/ckpt-3\n"
      "  smp-checkpoint convert keras/ckpt-1 run/ckpt-1 --root model\n"
      "  echo '{\"model/dense/kernel\": \"model/first.w\", \"table\": null}' "
      ">names\n"
      "  smp-checkpoint convert tf/ckpt-1 run/ckpt-1 --rename names");
  return convert;
}

int main(int argc, char **argv) {
  CLI::App app{
      "Tells what checkpoints of smp and bundles of TensorFlow hold, checks "
      "them, and converts the one into the other."};
  TellOptions told;
  const char *prefix = "What its files begin with, as run/ckpt-3";
  const CLI::App *listing =
      addTell(app, told, "list",
              "Lists the checkpoints and bundles in a folder, and which the "
              "file `checkpoint` names the latest.",
              "The folder");
  const CLI::App *showing =
      addTell(app, told, "show", "Lists the tensors of a checkpoint.", prefix);
  const CLI::App *verifying =
      addTell(app, told, "verify",
              "Checks every byte of checkpoints. Exit code 1: one is not what "
              "was written.",
              prefix);
  ConvertOptions convertOptions;
  const CLI::App *converting = addConvert(app, convertOptions);
  app.require_subcommand(1);
  app.set_version_flag("--version",
                       "smp-checkpoint " + std::string(versionString()));
  app.footer("smp-checkpoint COMMAND --help tells about one of them.\n"
             "Exit code: 0, or 1 after one message on the standard error.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  Status status;
  if (*listing)
    status = list(told);
  else if (*showing)
    status = show(told);
  else if (*verifying)
    status = verify(told);
  else if (*converting)
    status = convert(convertOptions);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "smp-checkpoint: %s\n", status.message().c_str());
  return 1;
}
