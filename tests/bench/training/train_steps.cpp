// SPDX-License-Identifier: Apache-2.0
// Compiles a model and measures steps of its training; prints JSON.

#include "Measured.h"
#include "Workloads.h"
#include "smp/compile/CompileModel.h"
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace smp;
using namespace smp::bench;
using Json = nlohmann::ordered_json;

static constexpr char kUsage[] =
    "usage: train_steps compile WORKLOAD PARTITIONS MICROBATCHES FILE "
    "[LIMIT [PLAN [TARGET]]]\n"
    "       train_steps run FILE DEVICES STEPS\n"
    "WORKLOAD is char, blocks or resnet, DEVICES cpu:0=0-1 or the like, "
    "LIMIT in\n"
    "bytes per partition, or 0. PLAN, if not 0: the number of that plan of "
    "all\n"
    "that are possible, which are listed, is taken. TARGET: cpu or cuda.\n"
    "`run` prints the seconds of each step, of each stage and kernel, what "
    "the\n"
    "schedule allows, and bytes planned and taken, as JSON.\n";

static Status compileTo(std::string_view workload, int64_t partitions,
                        int64_t microbatches, const std::string &path,
                        int64_t memoryLimit, int64_t plan,
                        const std::string &target) {
  StatusOr<Model> model = buildWorkload(workload, microbatches);
  if (!model.ok())
    return model.status();
  compile::ModelOptions options;
  options.placement.emplace().partitions = partitions;
  options.placement->memoryLimit = memoryLimit;
  options.targets = {target};
  std::string text;
  if (plan > 0) {
    options.plansAll = true;
    options.placement->planNumber = plan;
    options.plan = &text;
  }
  auto compiled = compile::compileModel(model.take(), options);
  std::fputs(text.c_str(), stdout);
  return compiled.ok() ? compiled->write(path) : compiled.status();
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

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  Status status = invalidArgument(kUsage);
  auto number = [&](size_t i) {
    return i < words.size() ? std::atoll(words[i].c_str()) : 0;
  };
  if (words.size() >= 5 && words.size() <= 8 && words[0] == "compile")
    status = compileTo(words[1], number(2), number(3), words[4], number(5),
                       number(6), words.size() > 7 ? words[7] : "cpu");
  else if (words.size() == 4 && words[0] == "run")
    status = run(words[1], words[2], std::atoi(words[3].c_str()));
  if (status.ok())
    return 0;
  std::fprintf(stderr, "train_steps: %s\n", status.message().c_str());
  return 1;
}
