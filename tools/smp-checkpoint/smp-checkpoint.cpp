// SPDX-License-Identifier: Apache-2.0
// smp-checkpoint: what is in checkpoints, and their other formats.
#include "Convert.h"
#include "smp/base/Version.h"
#include "smp/tools/Output.h"
#include <CLI/CLI.hpp>
#include <cstdio>

using namespace smp;

static Status print(const StatusOr<std::string> &text) {
  if (!text.ok())
    return text.status();
  std::fwrite(text->data(), 1, text->size(), stdout);
  return finishOutput();
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
  CLI::App app{"Converts checkpoints of smp to TensorFlow's and back."};
  ConvertOptions convertOptions;
  const CLI::App *convert = addConvert(app, convertOptions);
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
  if (*convert)
    status = print(convertCheckpoint(convertOptions));
  if (status.ok())
    return 0;
  std::fprintf(stderr, "smp-checkpoint: %s\n", status.message().c_str());
  return 1;
}
