// SPDX-License-Identifier: Apache-2.0
// smp-inspect: what is in a program.
#include "smp/base/AtomicFile.h"
#include "smp/tools/Arguments.h"
#include "smp/tools/Inspect.h"
#include "smp/tools/NamedFiles.h"
#include "smp/tools/Output.h"
#include "smp/tools/Page.h"
#include <CLI/CLI.hpp>
#include <cstdio>

using namespace smp;

static int fail(const Status &status) {
  std::fprintf(stderr, "smp-inspect: %s\n", status.message().c_str());
  return 1;
}

/// Reads a program; weights that lie beside it may be missing here.
static StatusOr<LoadedProgram>
load(const std::string &path, const MappedFile &file, MappedFile &beside) {
  StatusOr<LoadedProgram> loaded = readProgram(file.bytes());
  if (!loaded.ok() || loaded->program().weights.file.empty())
    return loaded;
  StatusOr<MappedFile> weights =
      MappedFile::open(pathOfWeights(loaded->program(), path));
  if (!weights.ok())
    return loaded;
  beside = weights.take();
  return readProgram(file.bytes(), beside.bytes());
}

namespace {
struct Options {
  std::string path, html, trace;
  bool json = false, ptx = false, schedule = false;
};
} // namespace

/// Writes the page, with the trace's steps if there is one.
static Status writePage(const Options &options, const Program &program,
                        const FileState &state) {
  NamedFiles files;
  files.reads(
      {options.path, options.trace, pathOfWeights(program, options.path)});
  files.writes("--html", options.html);
  SMP_RETURN_IF_ERROR(files.check());
  std::vector<MeasuredStep> measured;
  if (!options.trace.empty()) {
    SMP_ASSIGN_OR_RETURN(const MappedFile trace,
                         MappedFile::open(options.trace));
    const auto bytes = trace.bytes();
    SMP_ASSIGN_OR_RETURN(
        measured,
        readTrace(program,
                  {reinterpret_cast<const char *>(bytes.data()), bytes.size()})
            .in(options.trace));
  }
  SMP_ASSIGN_OR_RETURN(const std::string page,
                       drawPage(program, state, options.path, measured));
  return writeFile(options.html, page);
}

static Status inspect(const Options &options) {
  SMP_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(options.path));
  MappedFile beside;
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded,
                       load(options.path, file, beside).in(options.path));
  const FileState state{!loaded.weightBytes().empty(), loaded.parts()};
  if (state.hasWeights)
    SMP_RETURN_IF_ERROR(loaded.checkWeights().in(options.path));
  const Program &program = loaded.program();
  if (!options.html.empty())
    SMP_RETURN_IF_ERROR(writePage(options, program, state));
  if (options.ptx || options.schedule || options.html.empty() || options.json) {
    SMP_ASSIGN_OR_RETURN(
        const std::string text,
        options.ptx        ? inspectPtx(program)
        : options.schedule ? inspectSchedule(program)
        : options.json ? inspectJson(program, state)
                       : StatusOr<std::string>(inspectText(program, state)));
    SMP_RETURN_IF_ERROR(printOutput(text));
  }
  return Status();
}

int main(int argc, char **argv) {
  CLI::App app{
      "Shows what is in a program: its entries and their inputs and outputs, "
      "ops with their placements and who decided them, stages with predicted "
      "times, memory per partition, kernels, and what each byte of the file is "
      "for. Digests are checked."};
  Options options;
  app.add_option("program", options.path, "The program (.smp)")->required();
  app.add_flag("--json", options.json,
               "Print one JSON object, for other programs");
  app.add_flag("--ptx", options.ptx,
               "Print the kernels for GPUs as PTX, with the ops that each is "
               "for")
      ->excludes("--json");
  app.add_flag("--schedule", options.schedule,
               "Print the order of training's work as a table in CSV, which "
               "smp-compile --schedule takes, edited or not")
      ->excludes("--json")
      ->excludes("--ptx");
  auto *html =
      app.add_option(
             "--html", options.html,
             "Write a page to be opened in a browser: the graph in boxes "
             "that open, who decided where each op is, expected times, "
             "load and memory; nothing is printed unless another "
             "option asks for it")
          ->type_name("FILE");
  app.add_option(
         "--trace", options.trace,
         "Show on that page also when stages ran, as smp-run --trace has "
         "written it")
      ->type_name("t.json")
      ->needs(html);
  app.footer("Examples:\n"
             "  smp-inspect model.smp\n"
             "  smp-inspect model.smp --json | jq .memory\n"
             "  smp-inspect model.smp --html model.html\n"
             "  smp-inspect model.smp --html model.html --trace t.json\n"
             "  smp-inspect model.smp --schedule > order.csv\n"
             "  smp-inspect model.smp --ptx | less\n"
             "Exit code: 0, or 1 after one message on the standard error.");
  if (const int code = parseArguments(app, "smp-inspect", argc, argv);
      code >= 0)
    return code;
  Status status = inspect(options);
  return status.ok() ? 0 : fail(status);
}
