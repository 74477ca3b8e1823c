// SPDX-License-Identifier: Apache-2.0
#include "Options.h"
#include "Flags.h"
#include "smp/base/Lists.h"
#include "smp/base/OutputPath.h"
#include "smp/base/Quote.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/serialization/Config.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/WeightsPath.h"
#include "smp/tools/CommandLine.h"

namespace smp {

using namespace flags;

static constexpr int64_t kMostRounds = 100'000'000;

static Status checkRows() {
  if (!rows.getNumOccurrences())
    return Status();
  if (rows < 1)
    return invalidArgument("--rows is " + std::to_string(rows) +
                           "; a step has 1 at least");
  if (microbatches.getNumOccurrences())
    return invalidArgument("--rows is given, from which the number of "
                           "microbatches follows, and --microbatches; leave "
                           "one of them out");
  return Status();
}

static Status checkNumbers() {
  SMP_RETURN_IF_ERROR(checkPartitions(partitions));
  SMP_RETURN_IF_ERROR(checkRows());
  for (cl::opt<int64_t> *count : {&microbatches, &activeMicrobatches})
    if (count->getNumOccurrences() &&
        (*count < 1 || *count > kMostMicrobatches))
      return invalidArgument("--" + count->ArgStr.str() + " is " +
                             std::to_string(*count) + "; it must be 1 to " +
                             std::to_string(kMostMicrobatches));
  if (optimizer.getNumOccurrences() && trainLoss.empty())
    return invalidArgument("--optimizer is for --train, which is not given; "
                           "name the output that is the loss");
  if (searchRounds < 0 || searchRounds > kMostRounds)
    return invalidArgument("--search-rounds is " +
                           std::to_string(searchRounds) + "; it must be 0 to " +
                           std::to_string(kMostRounds));
  if (searchRounds && !scheduleFile.empty())
    return invalidArgument("--schedule gives the order, and --search-rounds "
                           "asks for another one; leave one of them out");
  for (cl::opt<std::string> *path : {&loadPlacement, &savePlacement})
    if (path->getNumOccurrences() && path->empty())
      return invalidArgument("--" + path->ArgStr.str() +
                             " is empty; it must be a file's path");
  if (memoryLimit < 0)
    return invalidArgument("--memory-limit is " + std::to_string(memoryLimit) +
                           "; it must be a number of bytes, or 0 for no limit");
  return Status();
}

static StatusOr<std::map<std::string, double>> readWeights() {
  std::map<std::string, double> result;
  for (const std::string &word : weights) {
    auto [entry, number] = llvm::StringRef(word).rsplit('=');
    double weight = 0;
    if (entry.empty() || number.getAsDouble(weight))
      return invalidArgument("--weight " + word +
                             ": write it as --weight train=1");
    if (!result.emplace(entry.str(), weight).second)
      return invalidArgument("--weight of " + entry.str() + " is given twice");
  }
  return result;
}

Status checkTargets(mlir::MLIRContext *context) {
  const auto *known = codegen::TargetRegistry::of(context);
  std::vector<std::string> all(targets.begin(), targets.end()), there;
  if (all.empty())
    all.push_back(known->defaultTarget().getName().str());
  for (const std::string &name : all) {
    const codegen::Target *target = known->find(name);
    if (!target)
      return invalidArgument("--target is '" + name + "'; there is " +
                             known->names());
    for (llvm::StringRef level : target->levels())
      if (!llvm::is_contained(there, level))
        there.push_back(level.str());
  }
  for (const std::string &level : levels)
    if (!llvm::is_contained(there, level))
      return invalidArgument("--level is '" + level + "'; it must be " +
                             listChoices(there));
  return Status();
}

/// That something chooses among the sizes of --dim, and can compare them.
static Status checkSizes(const compile::CompileOptions &options) {
  SMP_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, importFlags.sizes());
  if (sizes.empty())
    return Status();
  if (!options.plansAll)
    return invalidArgument("--dim has several sizes, among which --plan=auto "
                           "chooses, which is not given");
  if (rows)
    return Status();
  if (options.microbatches)
    return invalidArgument("a number of microbatches is given, but --dim has "
                           "several sizes of them; say with --rows how many "
                           "rows a step has, in place of it");
  if (!trainLoss.empty())
    return invalidArgument("--dim has several sizes of a microbatch; say with "
                           "--rows how many rows a step of training has");
  return Status();
}

/// Before the work, whether its result can be written; what goes beside it.
static Status setFiles(compile::CompileOptions &options) {
  SMP_ASSIGN_OR_RETURN(OutputPath output, OutputPath::follow(outputPath));
  SMP_RETURN_IF_ERROR(refusePickle(weightsFile).in("--weights"));
  if (!weightsFile.empty())
    SMP_RETURN_IF_ERROR(pathBeside(outputPath, weightsFile).status());
  options.exporting.weightsFile = weightsFile;
  if (!output.isSpecial())
    options.reproducer = outputPath + ".reproducer.mlir";
  return Status();
}

/// Pins that a person gives are kept, or refused.
static Status checkPins(passes::PartitionMode mode) {
  if (!importFlags.hasPins() ||
      mode != passes::PartitionMode::IgnoreAnnotations)
    return Status();
  if (ignoreAnnotations)
    return invalidArgument("--pins is given, but --ignore-annotations has the "
                           "solver place everything; leave one of them out");
  return invalidArgument(
      "--pins is given, but auto_partition of the configuration, which is true "
      "unless said, ignores pins; set keep_pins to true in it, or leave --pins "
      "out");
}

/// What --plan=auto decides cannot be said too.
static Status checkPlan(const compile::CompileOptions &options) {
  if (planKind != PlanKind::Auto && planNumber.getNumOccurrences())
    return invalidArgument("--plan-number is for --plan=auto, which is not "
                           "given");
  if (planKind != PlanKind::Auto)
    return Status();
  for (const cl::Option *said : {static_cast<cl::Option *>(&pipeline),
                                 static_cast<cl::Option *>(&activeMicrobatches),
                                 static_cast<cl::Option *>(&loadPlacement),
                                 static_cast<cl::Option *>(&scheduleFile)})
    if (said->getNumOccurrences())
      return invalidArgument("--" + said->ArgStr.str() +
                             " is given, but --plan=auto decides that; leave "
                             "one of them out");
  const passes::PlacementRequest &placement = options.placement;
  const PipelineChoice &choice = options.exporting.pipeline;
  if (choice.kind != PipelineKind::Interleaved || choice.active > 0 ||
      !placement.loadPlacement.empty())
    return invalidArgument(
        "the configuration has pipeline, active_microbatches or "
        "load_partition, but --plan=auto decides that; leave them out");
  if (placement.mode == passes::PartitionMode::Manual)
    return invalidArgument("--plan=auto is given, but auto_partition of the "
                           "configuration is false; set it to true, and "
                           "keep_pins to keep annotations");
  return Status();
}

static Status readSchedule(compile::CompileOptions &options) {
  if (scheduleFile.empty())
    return Status();
  SMP_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(scheduleFile));
  const auto *text = reinterpret_cast<const char *>(file.bytes().data());
  Expected<ScheduleTable> table =
      ScheduleTable::read({text, file.bytes().size()});
  if (!table.ok())
    return invalidArgument(scheduleFile + ": " + table.error());
  options.exporting.table = table.take();
  return Status();
}

StatusOr<compile::CompileOptions> readOptions() {
  SMP_RETURN_IF_ERROR(checkNumbers());
  compile::CompileOptions options;
  if (!configPath.empty()) {
    SMP_ASSIGN_OR_RETURN(Config config, readConfig(configPath));
    compile::configure(config, options);
    if (ignoreAnnotations && config.keepPins)
      return invalidArgument("--ignore-annotations is given, but keep_pins of "
                             "the configuration is true; leave one of them "
                             "out");
    if (config.microbatches > 1)
      options.microbatches = config.microbatches;
    if (partitions > 0 && partitions != config.partitions)
      return invalidArgument("--partitions is " + std::to_string(partitions) +
                             " but the configuration says " +
                             std::to_string(config.partitions));
  }
  if (partitions > 0)
    options.placement.partitions = partitions;
  if (ignoreAnnotations)
    options.placement.mode = passes::PartitionMode::IgnoreAnnotations;
  SMP_RETURN_IF_ERROR(checkPins(options.placement.mode));
  SMP_RETURN_IF_ERROR(checkPlan(options));
  options.plansAll = planKind == PlanKind::Auto;
  options.placement.planNumber = planNumber;
  SMP_ASSIGN_OR_RETURN(options.placement.weights, readWeights());
  if (costsOf.getNumOccurrences() && costs.empty())
    return invalidArgument("--costs-of is for --costs, which is not given");
  if (!costs.empty()) {
    SMP_ASSIGN_OR_RETURN(options.costs,
                         compile::readCostChoice(costs, costsOf));
  }
  if (memoryLimit.getNumOccurrences())
    options.placement.memoryLimit = memoryLimit;
  if (savePlacement.getNumOccurrences())
    options.placement.savePlacement = savePlacement;
  if (loadPlacement.getNumOccurrences())
    options.placement.loadPlacement = loadPlacement;
  if (microbatches)
    options.microbatches = microbatches;
  if (rows && options.microbatches)
    return invalidArgument("--rows is given, and microbatches in the "
                           "configuration; leave one of them out");
  options.rows = rows;
  SMP_RETURN_IF_ERROR(checkSizes(options));
  options.allowUnused = allowUnused;
  options.exporting.searchRounds = uint32_t(searchRounds);
  if (pipeline.getNumOccurrences())
    options.exporting.pipeline.kind = pipeline;
  if (activeMicrobatches)
    options.exporting.pipeline.active = uint32_t(activeMicrobatches);
  options.targets.assign(targets.begin(), targets.end());
  options.exporting.levels.assign(levels.begin(), levels.end());
  if (cubin.getNumOccurrences())
    options.exporting.assembler = cubin;
  if (printPlan || explain)
    options.plan = &llvm::outs();
  options.explainsPlan = explain;
  SMP_RETURN_IF_ERROR(readSchedule(options));
  SMP_RETURN_IF_ERROR(setFiles(options));
  return options;
}

Status readCapture(std::optional<CaptureChoice> &choice,
                   compile::CompileOptions &options, Status &failure) {
  if (captureAll && !captureConfig.empty())
    return invalidArgument("--capture is given, and --capture-all, which is "
                           "more; leave one of them out");
  if (captureAll)
    options.isWatched = [](llvm::StringRef, ir::TapRole) { return true; };
  if (captureConfig.empty())
    return Status();
  SMP_ASSIGN_OR_RETURN(HookConfig config, readHookConfig(captureConfig));
  SMP_ASSIGN_OR_RETURN(CaptureChoice made,
                       CaptureChoice::of(config).in(quote(captureConfig)));
  if (const Status filled = made.checkFilled(); !filled.ok())
    llvm::errs() << "smp-compile: warning: " << quote(captureConfig) << ": "
                 << filled.message() << "\n";
  choice.emplace(std::move(made));
  options.isWatched = [&](llvm::StringRef name, ir::TapRole role) {
    StatusOr<bool> has = choice->has(std::string_view(name), TapRole(role));
    if (!has.ok() && failure.ok())
      failure = has.status().in(quote(captureConfig));
    return has.ok() && *has;
  };
  return Status();
}

} // namespace smp
