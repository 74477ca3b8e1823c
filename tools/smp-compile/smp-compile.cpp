// SPDX-License-Identifier: Apache-2.0
// smp-compile: a model to a program file.

#include "mlir/IR/MLIRContext.h"
#include "smp/base/Lists.h"
#include "smp/base/OutputPath.h"
#include "smp/capture/CaptureChoice.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/serialization/Config.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/WeightsPath.h"
#include "smp/tools/ChoiceParser.h"
#include "smp/tools/CommandLine.h"
#include "smp/tools/LoadModel.h"
#include "smp/tools/NamedFiles.h"
#include "smp/tools/Progress.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace smp;
namespace cl = llvm::cl;

static cl::OptionCategory category("Compiling");
static cl::opt<std::string>
    inputPath(cl::Positional, cl::Required, cl::value_desc("MODEL"),
              cl::cat(category), cl::desc("MODEL: an .onnx or .mlir file"));
static cl::opt<std::string> outputPath("o", cl::Required,
                                       cl::value_desc("P.smp"),
                                       cl::cat(category),
                                       cl::desc("The program to write"));
static cl::opt<int64_t>
    partitions("partitions", cl::value_desc("N"), cl::init(0),
               cl::cat(category),
               cl::desc("How many devices to split the model over; default: "
                        "the configuration's, "
                        "the model's, or 1"));
static cl::opt<std::string> configPath(
    "config", cl::value_desc("smp.json"), cl::cat(category),
    cl::desc(
        "The configuration: a file, or JSON text. Unless auto_partition is "
        "false a solver places everything, or with keep_pins what is not "
        "pinned; if it is, annotations and default_partition do"));
static cl::opt<bool> ignoreAnnotations(
    "ignore-annotations", cl::cat(category),
    cl::desc("Let the solver place everything. Default: it keeps annotations, "
             "unless there is a configuration, which says it"));
static cl::opt<int64_t>
    memoryLimit("memory-limit", cl::value_desc("bytes"), cl::init(0),
                cl::cat(category),
                cl::desc("Most bytes per partition; 0: no limit; default: the "
                         "configuration's. Where it does not hold, training "
                         "computes activations again"));
static ImportFlags importFlags(category);
static cl::list<std::string> joins(
    "join", cl::value_desc("output=sum|mean|stack"), cl::cat(category),
    cl::desc("What becomes of the values that microbatches give to an output. "
             "Default: rows are joined where that can be proved, and else a "
             "step has one microbatch"));
static cl::list<std::string> targets(
    "target", cl::value_desc("cpu|cuda"), cl::CommaSeparated, cl::cat(category),
    cl::desc("What to generate kernels for: one target for all partitions, or "
             "one for each; default: what .mlir text says, else cpu"));
static cl::list<std::string>
    levels("level", cl::value_desc("v2|v3|v4|sm_80"), cl::CommaSeparated,
           cl::cat(category),
           cl::desc("Only these levels of the target; default: all"));
static cl::opt<std::string> cubin(
    "cubin", cl::value_desc("ptxas"), cl::ValueOptional, cl::cat(category),
    cl::desc(
        "Put cubins for sm_80 and sm_90a beside the PTX of target cuda, so "
        "that a GPU's driver need not make them when it loads the program: "
        "--cubin takes ptxas from the PATH, --cubin=FILE that one. "
        "Default: PTX alone"));
static cl::opt<std::string> weightsFile(
    "weights", cl::value_desc("w.safetensors"), cl::cat(category),
    cl::desc(
        "Keep the weights in a file of this name beside the program; default: "
        "inside it"));
static cl::opt<std::string>
    trainLoss("train", cl::value_desc("loss"), cl::cat(category),
              cl::desc("Train the model down this output, one float: its entry "
                       "becomes `train`"));
static cl::opt<std::string> optimizer(
    "optimizer", cl::value_desc("opt.json"), cl::cat(category), cl::init("{}"),
    cl::desc("How --train follows the gradients: a file, or JSON text as "
             "{\"kind\": \"adamw\", \"learning_rate\": 1e-3}"));
static cl::opt<int64_t> microbatches(
    "microbatches", cl::value_desc("N"), cl::init(0), cl::cat(category),
    cl::desc("How many microbatches, each of the model's batch size, a step of "
             "training has; default: the configuration's, the model's, or 1"));
static cl::opt<int64_t> rows(
    "rows", cl::value_desc("N"), cl::init(0), cl::cat(category),
    cl::desc(
        "How many rows a step of training has, in place of --microbatches: "
        "it has as many of the model's batch size as these are"));
static ChoiceOption<PipelineKind> pipeline(
    "pipeline", cl::cat(category),
    cl::desc("The order of training's work; default: the configuration's, or "
             "interleaved"),
    cl::values(clEnumValN(PipelineKind::Simple, "simple",
                          "all forward work, then all backward work"),
               clEnumValN(PipelineKind::Interleaved, "interleaved",
                          "one forward and one backward by turns"),
               clEnumValN(PipelineKind::OnlyForward, "_only_forward",
                          "no backward work: refuses to train"),
               clEnumValN(PipelineKind::ZeroBubbleH1, "zb-h1",
                          "by turns, and gradients of weights in the gaps"),
               clEnumValN(PipelineKind::ZeroBubbleH2, "zb-h2",
                          "the same with more microbatches under way"),
               clEnumValN(PipelineKind::ZeroBubbleV, "zb-v",
                          "zb-h1 for partitions that have two parts of the "
                          "model each, the second ones in reverse order")));
static cl::opt<bool> allowUnused(
    "allow-unused", cl::cat(category),
    cl::desc("Warn of a parameter that gets no gradient, in place of failing"));
static cl::opt<int64_t> activeMicrobatches(
    "active-microbatches", cl::value_desc("N"), cl::init(0), cl::cat(category),
    cl::desc("The most microbatches of training that are begun and not "
             "finished; default: the configuration's, or what is usual for the "
             "pipeline"));
static cl::opt<int64_t> searchRounds(
    "search-rounds", cl::value_desc("N"), cl::init(0), cl::cat(category),
    cl::desc("Search a better order than the pipeline's, of the same stages "
             "and within the memory limit, in N rounds; default: 0, none"));
static cl::opt<std::string> scheduleFile(
    "schedule", cl::value_desc("FILE.csv"), cl::cat(category),
    cl::desc("The order of training's work as a table, in place of the "
             "pipeline's; smp-inspect --schedule writes one"));
static cl::opt<bool> captureAll(
    "capture-all", cl::cat(category),
    cl::desc("Let hooks watch every value that has a name: inputs, parameters, "
             "gradients, optimizer variables, what modules give"));
static cl::opt<std::string> captureConfig(
    "capture", cl::value_desc("hook.json"), cl::cat(category),
    cl::desc("Let hooks watch what this configuration of a hook saves at some "
             "step; what is not watched costs nothing, at run time"));
static cl::opt<std::string> savePlacement(
    "save-placement", cl::value_desc("p.json"), cl::cat(category),
    cl::desc("Write where every op is, by name, to a file that can be edited"));
static cl::opt<std::string> loadPlacement(
    "load-placement", cl::value_desc("p.json"), cl::cat(category),
    cl::desc("Follow such a file: lines that were edited are pins, and the "
             "rest is solved from there; where nothing was, and model, options "
             "and costs are the same, it is taken as it is"));
static cl::opt<std::string> costs(
    "costs", cl::value_desc("costs.json"), cl::cat(category),
    cl::desc(
        "What kernels and links take on the devices, as smp-run --profile "
        "has measured it; or x86-64-v2, x86-64-v3 or x86-64-v4: as smp was "
        "measured on a machine of that level; default: what is said of the "
        "target"));
static cl::opt<std::string> costsOf(
    "costs-of", cl::value_desc("kind[:cores]"), cl::cat(category),
    cl::desc("Of which devices, where the file of --costs has several, as "
             "x86-64-v4:2"));
static cl::list<std::string> weights(
    "weight", cl::value_desc("entry=N"), cl::CommaSeparated, cl::cat(category),
    cl::desc("How much entries count beside each other for the partitioner, as "
             "how often they are run; default: those that are trained, or all "
             "where none is"));
static cl::opt<bool> printPlan("print-plan", cl::cat(category),
                               cl::desc("Print what each partition has to do"));

enum class PlanKind { AsSaid, Auto };
static ChoiceOption<PlanKind> planKind(
    "plan", cl::cat(category), cl::init(PlanKind::AsSaid),
    cl::desc("How many of the --partitions devices work, how many parts of the "
             "model each has, the pipeline, what is computed again, and of "
             "several sizes of --dim the rows of a microbatch"),
    cl::values(clEnumValN(PlanKind::AsSaid, "as-said",
                          "by --pipeline and the like, all devices working"),
               clEnumValN(PlanKind::Auto, "auto",
                          "what is predicted to be fastest within the memory "
                          "limit; --print-plan lists what was looked at")));
static cl::opt<int64_t> planNumber(
    "plan-number", cl::value_desc("N"), cl::init(1), cl::cat(category),
    cl::desc(
        "Take the N-th plan that --plan=auto lists, in place of the first"));
static cl::opt<bool> explain(
    "explain", cl::cat(category),
    cl::desc("Print the plan, and what would be without each pin, with each op "
             "beside the border on its other side, and without the limit"));

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

static StatusOr<std::vector<compile::OutputJoin>> readJoins() {
  std::vector<compile::OutputJoin> result;
  for (const std::string &word : joins) {
    auto [output, kind] = llvm::StringRef(word).rsplit('=');
    auto join = llvm::StringSwitch<std::optional<ir::JoinKind>>(kind)
                    .Case("sum", ir::JoinKind::Sum)
                    .Case("mean", ir::JoinKind::Mean)
                    .Case("stack", ir::JoinKind::Stack)
                    .Default(std::nullopt);
    if (output.empty() || !join)
      return invalidArgument("--join " + word +
                             ": write --join output=sum, mean or stack");
    if (llvm::is_contained(
            llvm::map_range(result, [](auto &said) { return said.output; }),
            output))
      return invalidArgument("--join " + output.str() + " is given twice");
    result.push_back({output.str(), *join});
  }
  return result;
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

/// Whether targets and levels are there. Levels are those of any of the
/// targets.
static Status checkTargets(mlir::MLIRContext *context) {
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

static StatusOr<compile::CompileOptions> readOptions() {
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

/// What hooks may watch, which `choice` decides as long as it lives.
static Status readCapture(std::optional<CaptureChoice> &choice,
                          compile::CompileOptions &options, Status &failure) {
  if (captureAll && !captureConfig.empty())
    return invalidArgument("--capture is given, and --capture-all, which is "
                           "more; leave one of them out");
  if (captureAll)
    options.isWatched = [](llvm::StringRef, ir::TapRole) { return true; };
  if (captureConfig.empty())
    return Status();
  SMP_ASSIGN_OR_RETURN(HookConfig config, readHookConfig(captureConfig));
  SMP_ASSIGN_OR_RETURN(CaptureChoice made, CaptureChoice::of(config));
  choice.emplace(std::move(made));
  options.isWatched = [&](llvm::StringRef name, ir::TapRole role) {
    StatusOr<bool> has = choice->has(std::string_view(name), TapRole(role));
    if (!has.ok() && failure.ok())
      failure = has.status().in(captureConfig);
    return has.ok() && *has;
  };
  return Status();
}

/// Annotations that the configuration drops: not silently.
static void warnOfIgnoredPins(mlir::ModuleOp module) {
  mlir::Operation *first = nullptr;
  unsigned count = 0;
  module.walk([&](mlir::Operation *op) {
    ir::PlacementAttr pin = ir::getPlacement(op);
    if (!pin || !pin.isUser() || pin.isAll())
      return;
    first = first ? first : op;
    ++count;
  });
  if (first)
    first->emitWarning() << passes::describe(first)
                         << " is pinned to partition "
                         << ir::getPlacement(first).getPartition()
                         << ", but auto_partition of the configuration, which "
                            "is true unless said, ignores pins ("
                         << count
                         << " in all); set keep_pins to true in it to keep "
                            "them";
}

/// Of all that is written, as long as nothing is. Who compiles a reproducer
/// again has it.
static Status checkFiles(const std::vector<ImportedModel> &models,
                         compile::CompileOptions &options) {
  const passes::PlacementRequest &placement = options.placement;
  NamedFiles files;
  files.reads({inputPath, configPath, optimizer, scheduleFile, captureConfig,
               costs, cubin, placement.loadPlacement});
  files.reads(importFlags.files());
  for (const ImportedModel &model : models)
    files.reads(model.weightFiles);
  files.writes("-o", outputPath);
  if (!weightsFile.empty()) {
    SMP_ASSIGN_OR_RETURN(const std::string beside,
                         pathBeside(outputPath, weightsFile));
    files.writes("--weights", beside);
  }
  files.writes(savePlacement.getNumOccurrences() ? "--save-placement"
                                                 : "partition_file",
               placement.savePlacement);
  if (files.has(options.reproducer))
    options.reproducer.clear();
  return files.check();
}

/// The model as it is to be compiled, of this size of dimensions that have
/// several. What is to be said of it is said of the first.
static StatusOr<ImportedModel>
readModel(mlir::MLIRContext *context, const compile::CompileOptions &options,
          const std::vector<compile::OutputJoin> &said,
          std::optional<int64_t> size, bool isFirst) {
  SMP_ASSIGN_OR_RETURN(
      ImportedModel model,
      loadModel(context, inputPath, importFlags, partitions, size));
  if (isFirst && !ignoreAnnotations &&
      options.placement.mode == passes::PartitionMode::IgnoreAnnotations)
    warnOfIgnoredPins(*model.module);
  if (!trainLoss.empty())
    SMP_RETURN_IF_ERROR(
        compile::trainModule(*model.module, trainLoss, optimizer));
  SMP_RETURN_IF_ERROR(compile::sayJoins(*model.module, said));
  return model;
}

/// One for each size, with their weights in memory once.
static StatusOr<std::vector<ImportedModel>>
readModels(mlir::MLIRContext *context, const compile::CompileOptions &options) {
  SMP_ASSIGN_OR_RETURN(const std::vector<compile::OutputJoin> said,
                       readJoins());
  SMP_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, importFlags.sizes());
  std::vector<ImportedModel> models;
  if (sizes.empty()) {
    SMP_ASSIGN_OR_RETURN(
        models.emplace_back(),
        readModel(context, options, said, std::nullopt, /*isFirst=*/true));
    return models;
  }
  for (int64_t size : sizes) {
    auto model = readModel(context, options, said, size, models.empty());
    if (!model.ok())
      return model.status().in("size " + std::to_string(size) + " of --dim");
    if (!models.empty())
      model->weights.share(models.front().weights);
    models.push_back(model.take());
  }
  return models;
}

static mlir::FailureOr<codegen::ExportedProgram>
compileModels(std::vector<ImportedModel> &models,
              const compile::CompileOptions &options) {
  const std::vector<int64_t> sizes = *importFlags.sizes();
  if (sizes.empty())
    return compile::compile(*models.front().module, models.front().weights,
                            options);
  std::vector<compile::SizedModel> sized;
  for (auto [model, size] : llvm::zip(models, sizes))
    sized.push_back({*model.module, model.weights, size});
  return compile::compile(sized, options);
}

static Status run() {
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // Whole models, at times.
  context.loadDialect<ir::SmpDialect>();
  SMP_RETURN_IF_ERROR(checkTargets(&context));
  SMP_ASSIGN_OR_RETURN(compile::CompileOptions options, readOptions());
  std::optional<CaptureChoice> choice;
  Status chosen;
  SMP_RETURN_IF_ERROR(readCapture(choice, options, chosen));
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context, llvm::errs());
  Progress progress;
  progress.update(0, 0, "reading " + inputPath);
  SMP_ASSIGN_OR_RETURN(std::vector<ImportedModel> models,
                       readModels(&context, options));
  SMP_RETURN_IF_ERROR(checkFiles(models, options));
  options.exporting.progress = [&](size_t done, size_t total) {
    progress.update(done, total, "compiling kernels");
  };
  progress.update(0, 0, "placing and lowering");
  // Linking resets every llvm::cl option of the process.
  const std::string input = inputPath, output = outputPath;
  auto exported = compileModels(models, options);
  SMP_RETURN_IF_ERROR(chosen);
  if (failed(exported))
    return invalidArgument(input + " was not compiled; see above");
  progress.update(0, 0, "writing " + output);
  return compile::writeExported(*exported, output);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  startTool("smp-compile");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a model to a program that smp's runtime executes.\n");
  return endTool(run());
}
