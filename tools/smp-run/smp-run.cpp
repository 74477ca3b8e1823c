// SPDX-License-Identifier: Apache-2.0
// smp-run: runs an entry of a program.
#include "RankSecret.h"
#include "RunOptions.h"
#include "smp/model/Config.h"
#include "smp/tools/Arguments.h"
#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdio>

using namespace smp;

static volatile std::sig_atomic_t interruptCount = 0;
static void onInterrupt(int) { interruptCount = interruptCount + 1; }
bool smp::interrupted() { return interruptCount != 0; }

/// The first interrupt lets the step end; a second one is the system's again.
static void watchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

/// "name=file"; the name ends at the first '='.
static std::string addNamedFile(const std::string &text,
                                std::vector<NamedFile> &list) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return "'" + text + "' is not name=file.npy";
  list.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return "";
}

static void addTensorOption(CLI::App &app, const std::string &name,
                            std::vector<NamedFile> &list,
                            const std::string &help) {
  app.add_option_function<std::vector<std::string>>(
         name,
         [&list, name](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             if (std::string error = addNamedFile(text, list); !error.empty())
               throw CLI::ValidationError(name, error);
         },
         help)
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
}

/// CLI11 takes "-1" for the greatest number, and what is too large, too.
static std::string refuseNotWhole(const std::string &text) {
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size()
             ? std::string()
             : "'" + text + "' is not a whole number from 0 to " +
                   std::to_string(UINT64_MAX);
}

static void addOptions(CLI::App &app, RunOptions &options) {
  app.add_option("program", options.program, "The program (.smp)")->required();
  addTensorOption(app, "--input", options.inputs,
                  "An input, from a NumPy file. The batch axis may hold any "
                  "multiple of the microbatch's size");
  addTensorOption(app, "--output", options.outputs,
                  "Write an output to a NumPy file");
  app.add_option("--entry", options.entry,
                 "Which entry to run; needed when there are several and none "
                 "is called 'predict'");
  app.add_option("--devices", options.devices,
                 "One device per partition, such as cpu:0=0-3,cpu:1=4-7 or "
                 "cpu:0,cpu:1, which share the cores; with ranks the rank in "
                 "front: 0/cpu:0,1/cpu:0 (default: cpu:0 and so on)");
  app.add_option("--level", options.level,
                 "The highest level of kernels to use: of the CPU v2, v3 or v4 "
                 "(default: what the device has)")
      ->envname("SMP_CPU_LEVEL");
  app.add_option("--microbatches", options.microbatches,
                 "How many microbatches the inputs hold; needed where no input "
                 "says it")
      ->check(CLI::Range(int64_t(1), kMostMicrobatches));
  app.add_option_function<uint64_t>(
         "--random", [&](uint64_t seed) { options.randomSeed = seed; },
         "Fill inputs that have no file: floats from a normal distribution, "
         "integers and bools with 0")
      ->type_name("SEED")
      ->check(refuseNotWhole);
  app.add_option("--repeat", options.repeat,
                 "Run that many times; more than one are timed after one that "
                 "is not")
      ->check(CLI::Range(1u, 1000000000u));
  auto *stats =
      app.add_option("--stats", options.stats,
                     "Print times and memory on the standard output: json (one "
                     "object) or text")
          ->check(CLI::IsMember({"json", "text"}));
  auto *trace =
      app.add_option("--trace", options.trace,
                     "Write what ran when, for https://ui.perfetto.dev or "
                     "chrome://tracing")
          ->type_name("FILE");
  auto *profile =
      app.add_option("--profile", options.profile,
                     "Measure what kernels take, and links between devices, "
                     "for smp-compile --costs: in 20 steps, or as --repeat "
                     "says. What the file has already of others stays. Devices "
                     "may be several times as many as partitions: then as many "
                     "Sessions run at once, so that all devices are busy")
          ->type_name("FILE")
          ->excludes(stats, trace);
  app.add_option("--deadline", options.deadlineSeconds,
                 "Seconds without progress after which a step ends with a "
                 "report of who waits for whom, and for all ranks to have met "
                 "(default: 60); 0: never");
  app.add_option("--memory-limit", options.memoryLimit,
                 "The most bytes that one device may allocate; 0: no limit")
      ->check(refuseNotWhole);
  app.add_flag("--reference", options.reference,
               "Evaluate the model with plain loops instead of running its "
               "kernels: slow, but what the kernels are compared with")
      ->excludes(stats, trace, profile);
  app.add_flag("--check-numerics{nan}", options.checkNumerics,
               "End a step at the first kernel that writes a NaN, or with "
               "--check-numerics=all an infinity, and name its op; slow")
      ->check(CLI::IsMember({"nan", "all"}));
  app.add_flag("--verbose", options.verbose,
               "Say on the standard error all that the runtime has to say, not "
               "warnings alone");
}

static void addRankOptions(CLI::App &app, RunOptions &options) {
  auto *ranks = app.add_option("--ranks", options.ranks,
                               "How many processes run the program together; "
                               "start each with its own --rank")
                    ->check(CLI::Range(1u, 65536u));
  auto *rank = app.add_option("--rank", options.rank,
                              "This process's number, from 0 on");
  auto *address =
      app.add_option("--address", options.address,
                     "Where rank 0 listens, the same for all: unix:/path, for "
                     "processes of one user on one machine, or tcp:host:port");
  auto *secret =
      app.add_option("--secret-file", options.secretFile,
                     "A file with a secret of 16 bytes or more, the same for "
                     "all ranks, which prove to each other that they know it "
                     "(default: what " +
                         std::string(kRankSecretName) +
                         " holds). Beyond one machine there must be one. "
                         "Nothing is encrypted: that is a tunnel's job")
          ->type_name("FILE");
  app.add_flag("--no-secret", options.noSecret,
               "Let ranks meet beyond one machine without a secret: whoever "
               "reaches the address can be one of them")
      ->excludes(secret)
      ->needs(ranks);
  secret->needs(ranks);
  rank->needs(ranks, address);
  ranks->needs(rank, address);
  ranks->excludes(app.get_option("--profile"));
}

int main(int argc, char **argv) {
  CLI::App app{"Runs an entry of a compiled program."};
  RunOptions options;
  addOptions(app, options);
  addRankOptions(app, options);
  app.footer(
      "Examples:\n"
      "  smp-run model.smp --input x=x.npy --output y=y.npy\n"
      "  smp-run model.smp --random 1 --repeat 100 --stats json\n"
      "  smp-run model.smp --input x=x.npy --devices cpu:0,cpu:1 "
      "--trace t.json\n"
      "  smp-run model.smp --random 1 --devices cpu:0=0,cpu:1=1 "
      "--profile costs.json\n"
      "  smp-run model.smp --random 1 --ranks 2 --rank 0 --address "
      "tcp:host0:5000 \\\n    --secret-file secret\n"
      "Where SMDEBUG_CONFIG_FILE_PATH names a hook's configuration, or "
      "/opt/ml/input/config/\ndebughookconfig.json is there, the hook saves "
      "what the steps give.\n"
      "Exit code: 0; 1 after one message on the standard error; 130 when "
      "interrupted,\nafter the step that ran.");
  if (const int code = parseArguments(app, "smp-run", argc, argv); code >= 0)
    return code;
  watchInterrupts();
  const StatusOr<bool> stopped = runProgram(options);
  if (!stopped.ok()) {
    std::fprintf(stderr, "smp-run: %s\n", stopped.status().message().c_str());
    return 1;
  }
  return *stopped ? 130 : 0;
}
