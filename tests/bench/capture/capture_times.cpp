// SPDX-License-Identifier: Apache-2.0
// What a training costs that can be watched, and one that is, beside one that
// cannot be.

#include "Compiled.h"
#include "HookedSteps.h"
#include "Pairs.h"
#include "Workloads.h"
#include "smp/compile/CompileModel.h"
#include "smp/serialization/ProgramFile.h"
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

using namespace smp;
using namespace smp::bench;

static constexpr char kUsage[] =
    "usage: capture_times [NAME]\n"
    "  steps of the workloads char, blocks and resnet, or of one of them, on "
    "two\n"
    "  cores: where nobody looks, with statistics of every input, parameter, "
    "gradient,\n"
    "  optimizer variable and output of a module, with those of every named "
    "value and\n"
    "  its gradient, too, and with all these values themselves; then what a "
    "hook "
    "takes\n"
    "  that writes such statistics each step, or weights and gradients every "
    "tenth\n";

/// How long steps of either kind are made for.
static constexpr double kSeconds = 20;

using Capture = std::function<bool(std::string_view name, TapRole role)>;

static compile::CompiledModel compiled(std::string_view workload,
                                       Capture capture) {
  compile::ModelOptions options;
  options.levels = {levelName()};
  options.capture = std::move(capture);
  return orDie(
      compile::compileModel(orDie(buildWorkload(workload, 1)), options));
}

/// What modules give to others: of the values whose names begin alike up to a
/// slash the last one.
static std::set<std::string>
outputsOfModules(const compile::CompiledModel &model) {
  const LoadedProgram program = orDie(readProgram(model.bytes()));
  std::map<std::string, std::string> last;
  for (const Entry &entry : program.program().entries)
    if (entry.twin)
      for (const Tap &tap : entry.twin->taps)
        for (size_t at = tap.name.find('/');
             tap.role == TapRole::Value && at != tap.name.npos;
             at = tap.name.find('/', at + 1))
          last[tap.name.substr(0, at)] = tap.name;
  std::set<std::string> names;
  for (const auto &[module, name] : last)
    names.insert(name);
  return names;
}

namespace {
/// Wants what it is told to want, and counts what it gets.
class Watcher : public StepObserver {
public:
  StepView wants(const UpcomingStep &) override { return view; }
  Status onStep(const CompletedStep &step) override {
    shown = step.shown.size();
    bytes = 0;
    for (const ShownValue &value : step.shown)
      bytes += value.tensor.bytes;
    return Status();
  }

  StepView view = StepView::Outputs;
  size_t shown = 0;
  uint64_t bytes = 0;
};
} // namespace

/// What a step `ours` takes beside one of `theirs`.
static void print(const char *what, const std::function<void()> &ours,
                  const std::function<void()> &theirs) {
  for (int i = 0; i < 3; ++i) {
    ours();
    theirs();
  }
  std::printf("  %-14s ", what);
  printRatio(ratioOfPairs([&] { return secondsOf(ours); },
                          [&] { return secondsOf(theirs); }, 2 * kSeconds));
  std::printf("\n");
  std::fflush(stdout);
}

/// Steps that show something, beside those that do not.
static void printWatched(Training &training, const char *what, StepView view) {
  const auto watcher = std::make_shared<Watcher>();
  (void)training.session.addObserver(watcher);
  const auto watch = [&](StepView wanted) {
    watcher->view = wanted;
    training.step();
  };
  print(what, [&] { watch(view); }, [&] { watch(StepView::Outputs); });
  watch(view);
  std::printf("    %zu tensors, %.1f MB\n", watcher->shown,
              double(watcher->bytes) / 1e6);
}

static void measure(const char *workload) {
  std::optional<compile::CompiledModel> plain, values, watched;
  const double once = secondsOf([&] { plain = compiled(workload, {}); });
  const double with = secondsOf([&] {
    values = compiled(workload, [](auto, TapRole role) {
      return role != TapRole::OutputGradient;
    });
  });
  const double all = secondsOf(
      [&] { watched = compiled(workload, [](auto, auto) { return true; }); });
  std::printf("%s\n  compiling      %.2f of %.1f s, %.2f with gradients of "
              "values\n",
              workload, with / once, once, all / once);
  const std::set<std::string> outputs = outputsOfModules(*watched);
  const compile::CompiledModel modules =
      compiled(workload, [&](std::string_view name, TapRole role) {
        return role != TapRole::OutputGradient &&
               (role != TapRole::Value || outputs.contains(std::string(name)));
      });
  Training without(*plain), training(*values), ofModules(modules),
      ofGradients(*watched);
  print("nobody looks", [&] { training.step(); }, [&] { without.step(); });
  printWatched(ofModules, "statistics", StepView::Statistics);
  printWatched(training, "all statistics", StepView::Statistics);
  printWatched(training, "all values", StepView::Values);
  printWatched(ofGradients, "with gradients", StepView::Statistics);
  printHooked(ofModules);
}

int main(int argc, char **argv) {
  const std::vector<std::string_view> known{"char", "blocks", "resnet"};
  if (argc > 2 || (argc == 2 && std::ranges::count(known, argv[1]) == 0)) {
    std::fputs(kUsage, stderr);
    return 1;
  }
  for (const std::string_view name : known)
    if (argc < 2 || name == argv[1])
      measure(name.data());
  return 0;
}
