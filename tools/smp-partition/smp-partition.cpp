// SPDX-License-Identifier: Apache-2.0
// smp-partition: solves partition problems that are files.
#include "Jobs.h"
#include "JsonMembers.h"
#include "Options.h"
#include "PlacementFile.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/MappedFile.h"
#include "smp/tools/NamedFiles.h"
#include "smp/tools/Output.h"
#include <chrono>
#include <cstdio>

using namespace smp;
using namespace smp::passes;

static StatusOr<std::string> readText(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path));
  return std::string(reinterpret_cast<const char *>(file.bytes().data()),
                     file.bytes().size());
}

static StatusOr<Instance> readQuestion(const PartitionOptions &options) {
  if (options.synthetic)
    return makeSynthetic(*options.synthetic);
  SMP_ASSIGN_OR_RETURN(const std::string text, readText(options.instance));
  return parseInstance(text).in(options.instance);
}

static StatusOr<Instance> readProblem(const PartitionOptions &options) {
  SMP_ASSIGN_OR_RETURN(Instance instance, readQuestion(options));
  if (!options.pins.empty()) {
    SMP_ASSIGN_OR_RETURN(const std::string text, readText(options.pins));
    SMP_RETURN_IF_ERROR(addPins(instance, text).in(options.pins));
  }
  instance.problem.setObjective(options.objective);
  if (options.contiguity == Contiguity::Required)
    instance.problem.requireContiguous();
  else if (options.contiguity == Contiguity::Preferred)
    instance.problem.preferContiguous();
  return instance;
}

static StatusOr<PartitionAnswer> solve(const Instance &instance,
                                       const PartitionOptions &options) {
  PartitionResult result = solvePartition(
      instance.problem, {.effort = Effort::thorough(),
                         .measure = {},
                         .jobs = jobsOnThreads(options.threads)});
  if (const auto *conflict = std::get_if<PartitionConflict>(&result))
    return invalidArgument(conflict->message);
  return std::get<PartitionAnswer>(std::move(result));
}

static StatusOr<PartitionAnswer> verify(const Instance &instance,
                                        const PartitionOptions &options) {
  const PartitionProblem &problem = instance.problem;
  if (const auto conflict = problem.check())
    return invalidArgument(conflict->message);
  SMP_ASSIGN_OR_RETURN(const std::string text, readText(options.verified));
  SMP_ASSIGN_OR_RETURN(const PlacementFile file,
                       parsePlacement(instance, text).in(options.verified));
  if (const auto fault = problem.verifyPlacement(file.partitionOf))
    return invalidArgument(options.verified + ": " + *fault);
  PartitionAnswer answer{.partitionOf = file.partitionOf,
                         .objective = problem.objective(file.partitionOf)};
  if (!file.proof)
    return answer;
  answer.bound = file.proof->bound;
  answer.certificate = file.proof->certificate;
  if (const auto fault = problem.verify(answer))
    return invalidArgument(options.verified + ": " + *fault +
                           "; it may be of another --objective");
  return answer;
}

/// Where nothing is proved, there is no gap to speak of.
static Status print(const PartitionAnswer &answer, double seconds) {
  const double gap =
      answer.objective > 0 ? 1 - answer.bound / answer.objective : 0;
  char time[32];
  std::snprintf(time, sizeof(time), "%.3f", seconds);
  return printOutput("{\"objective\": " + jsonNumber(answer.objective) +
                     ", \"bound\": " + jsonNumber(answer.bound) +
                     ", \"gap\": " + jsonNumber(gap) +
                     ", \"seconds\": " + time + "}\n");
}

static Status run(const PartitionOptions &options) {
  const auto begin = std::chrono::steady_clock::now();
  NamedFiles files;
  files.reads({options.instance, options.pins});
  files.writes("--output", options.output);
  SMP_RETURN_IF_ERROR(files.check());
  SMP_ASSIGN_OR_RETURN(const Instance instance, readProblem(options));
  SMP_ASSIGN_OR_RETURN(const PartitionAnswer answer,
                       options.verified.empty() ? solve(instance, options)
                                                : verify(instance, options));
  if (!options.output.empty())
    SMP_RETURN_IF_ERROR(
        writeFile(options.output, placementText(instance, answer)));
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  return print(answer, seconds.count());
}

int main(int argc, char **argv) {
  PartitionOptions options;
  if (int code = options.parse(argc, argv); code >= 0)
    return code;
  const Status status = run(options);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "smp-partition: %s\n", status.message().c_str());
  return 1;
}
