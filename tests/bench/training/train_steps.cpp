// SPDX-License-Identifier: Apache-2.0
// Compiles a model and measures steps of its training; prints JSON.

#include "Batch.h"
#include "Measured.h"
#include "Pairs.h"
#include "Workloads.h"
#include "smp/compile/CompileModel.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

using namespace smp;
using namespace smp::bench;
using Json = nlohmann::ordered_json;

namespace {
/// What is compiled, and how.
struct Choice {
  std::string workload, path, costs, target = "cpu";
  int64_t partitions = 1, microbatches = 1, memoryLimit = 0, plan = 0;
  bool canBeWatched = false;
};
} // namespace

static Status writeProgram(const Choice &choice) {
  StatusOr<Model> model = buildWorkload(choice.workload, choice.microbatches);
  if (!model.ok())
    return model.status();
  compile::ModelOptions options;
  options.placement.emplace().partitions = choice.partitions;
  options.placement->memoryLimit = choice.memoryLimit;
  options.targets = {choice.target};
  if (choice.canBeWatched)
    options.capture = [](std::string_view, TapRole) { return true; };
  if (!choice.costs.empty()) {
    SMP_ASSIGN_OR_RETURN(options.costs,
                         compile::readCostChoice(choice.costs, ""));
  }
  std::string text;
  if (choice.plan > 0) {
    options.plansAll = true;
    options.placement->planNumber = choice.plan;
    options.plan = &text;
  }
  auto compiled = compile::compileModel(model.take(), options);
  std::fputs(text.c_str(), stdout);
  return compiled.ok() ? compiled->write(choice.path) : compiled.status();
}

static const char *wordOf(Phase phase) {
  return phase == Phase::Forward    ? "forward"
         : phase == Phase::Backward ? "backward"
                                    : "update";
}

static StatusOr<Json> stagesJson(const std::string &path,
                                 const Measured &measured) {
  StatusOr<LoadedProgram> loaded = openProgram(path);
  if (!loaded.ok())
    return loaded.status();
  StatusOr<const Entry *> entry = trainEntry(loaded->program());
  if (!entry.ok())
    return entry.status();
  const PipelineShape shape = pipelineShape(loaded->program(), **entry);
  Json stages = Json::array();
  for (size_t i = 0; i < shape.stages.size(); ++i)
    stages.push_back(
        {{"name", loaded->program().stages[(*entry)->stages[i]].name},
         {"partition", shape.stages[i].partition},
         {"phase", wordOf(shape.stages[i].phase)},
         {"seconds", measured.stages[i]}});
  return stages;
}

static Status run(const std::string &path, const std::string &devices,
                  int steps) {
  StatusOr<Measured> measured = measureSteps(path, devices, steps);
  if (!measured.ok())
    return measured.status();
  StatusOr<Json> stages = stagesJson(path, *measured);
  if (!stages.ok())
    return stages.status();
  Json kernels = Json::object(), memory = Json::array();
  for (const auto &[name, figures] : measured->kernels)
    kernels[name] = {{"seconds", figures.first}, {"launches", figures.second}};
  for (const MemoryOf &device : measured->memory)
    memory.push_back(
        {{"planned", device.planned}, {"measured", device.measured}});
  const Json all = {{"steps", measured->steps},
                    {"stages", stages.take()},
                    {"kernels", kernels},
                    {"bound", measured->boundSeconds},
                    {"memory", memory}};
  std::printf("%s\n", all.dump().c_str());
  return Status();
}

namespace {
/// Steps of one program; its batch is the same for all.
struct Racer {
  static StatusOr<Racer> open(const std::string &path,
                              const std::string &devices) {
    SMP_ASSIGN_OR_RETURN(Session session, Session::open(path, {devices}));
    for (const EntrySignature &entry : session.entries())
      if (entry.name == "train")
        return Racer{std::make_unique<Session>(std::move(session)),
                     std::make_unique<Batch>(entry)};
    return invalidArgument("the program has no entry 'train'");
  }

  /// Seconds; the first error is kept.
  double step(Status &status) const {
    const auto start = std::chrono::steady_clock::now();
    if (auto output = session->step("train", batch->inputs());
        !output.ok() && status.ok())
      status = output.status();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

  std::unique_ptr<Session> session;
  std::unique_ptr<Batch> batch;
};
} // namespace

static Status race(const std::string &path, const std::string &other,
                   const std::string &devices, double seconds) {
  SMP_ASSIGN_OR_RETURN(const Racer ours, Racer::open(path, devices));
  SMP_ASSIGN_OR_RETURN(const Racer theirs, Racer::open(other, devices));
  Status status;
  for (const Racer *racer : {&ours, &theirs}) // What steps need they have now.
    racer->step(status);
  const PairedRatio ratio =
      ratioOfPairs([&] { return ours.step(status); },
                   [&] { return theirs.step(status); }, seconds);
  SMP_RETURN_IF_ERROR(std::move(status));
  const Json all = {{"ratios", ratio.all}, {"seconds", ratio.seconds}};
  std::printf("%s\n", all.dump().c_str());
  return Status();
}

int main(int argc, char **argv) {
  CLI::App app("Compiles a model, and measures steps of its training");
  app.require_subcommand(1);
  Choice choice;
  auto *compiling = app.add_subcommand("compile", "Write a program");
  compiling->add_option("workload", choice.workload, "char, blocks or resnet")
      ->required();
  compiling->add_option("partitions", choice.partitions)->required();
  compiling->add_option("microbatches", choice.microbatches)->required();
  compiling->add_option("file", choice.path)->required();
  compiling->add_option("--limit", choice.memoryLimit, "Bytes per partition");
  compiling->add_option("--plan", choice.plan,
                        "Take the plan with that number, of all that are "
                        "possible, which are listed");
  compiling->add_option("--costs", choice.costs, "A file of smp-run --profile");
  compiling->add_option("--target", choice.target, "cpu or cuda");
  compiling->add_flag("--capture-all", choice.canBeWatched,
                      "All that it computes can be shown");

  std::string program, devices;
  int steps = 0;
  auto *running = app.add_subcommand(
      "run", "Print the seconds of each step, of each stage and kernel, what "
             "the schedule allows, and bytes planned and taken, as JSON");
  running->add_option("file", program)->required();
  running->add_option("devices", devices, "cpu:0=0-1 or the like")->required();
  running->add_option("steps", steps)->required();
  std::string other;
  double seconds = 0;
  auto *racing = app.add_subcommand(
      "race", "Print the ratios of steps of a program to those of another, in "
              "pairs, and seconds of the latter, as JSON");
  racing->add_option("file", program)->required();
  racing->add_option("other", other)->required();
  racing->add_option("devices", devices)->required();
  racing->add_option("seconds", seconds, "For how long; at least six pairs")
      ->required();
  CLI11_PARSE(app, argc, argv);

  const Status status = racing->parsed()
                            ? race(program, other, devices, seconds)
                        : running->parsed() ? run(program, devices, steps)
                                            : writeProgram(choice);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "train_steps: %s\n", status.message().c_str());
  return 1;
}
