// SPDX-License-Identifier: Apache-2.0
#include "Flags.h"

namespace smp::flags {

cl::OptionCategory category("Compiling");
cl::opt<std::string> inputPath(cl::Positional, cl::Required,
                               cl::value_desc("MODEL"), cl::cat(category),
                               cl::desc("MODEL: an .onnx or .mlir file"));
cl::opt<std::string> outputPath("o", cl::Required, cl::value_desc("P.smp"),
                                cl::cat(category),
                                cl::desc("The program to write"));
cl::opt<int64_t>
    partitions("partitions", cl::value_desc("N"), cl::init(0),
               cl::cat(category),
               cl::desc("How many devices to split the model over; default: "
                        "the configuration's, "
                        "the model's, or 1"));
cl::opt<std::string> configPath(
    "config", cl::value_desc("smp.json"), cl::cat(category),
    cl::desc(
        "The configuration: a file, or JSON text. Unless auto_partition is "
        "false a solver places everything, or with keep_pins what is not "
        "pinned; if it is, annotations and default_partition do"));
cl::opt<bool> ignoreAnnotations(
    "ignore-annotations", cl::cat(category),
    cl::desc("Let the solver place everything. Default: it keeps annotations, "
             "unless there is a configuration, which says it"));
cl::opt<int64_t>
    memoryLimit("memory-limit", cl::value_desc("bytes"), cl::init(0),
                cl::cat(category),
                cl::desc("Most bytes per partition; 0: no limit; default: the "
                         "configuration's. Where it does not hold, training "
                         "computes activations again"));
ImportFlags importFlags(category);
cl::list<std::string> joins(
    "join", cl::value_desc("output=sum|mean|stack"), cl::cat(category),
    cl::desc("What becomes of the values that microbatches give to an output. "
             "Default: rows are joined where that can be proved, and else a "
             "step has one microbatch"));
cl::list<std::string> targets(
    "target", cl::value_desc("cpu|cuda"), cl::CommaSeparated, cl::cat(category),
    cl::desc("What to generate kernels for: one target for all partitions, or "
             "one for each; default: what .mlir text says, else cpu"));
cl::list<std::string>
    levels("level", cl::value_desc("v2|v3|v4|sm_80"), cl::CommaSeparated,
           cl::cat(category),
           cl::desc("Only these levels of the target; default: all"));
cl::opt<std::string> cubin(
    "cubin", cl::value_desc("ptxas"), cl::ValueOptional, cl::cat(category),
    cl::desc(
        "Put cubins for sm_80 and sm_90a beside the PTX of target cuda, so "
        "that a GPU's driver need not make them when it loads the program: "
        "--cubin takes ptxas from the PATH, --cubin=FILE that one. "
        "Default: PTX alone"));
cl::opt<std::string> weightsFile(
    "weights", cl::value_desc("w.safetensors"), cl::cat(category),
    cl::desc(
        "Keep the weights in a file of this name beside the program; default: "
        "inside it"));
cl::opt<std::string>
    trainLoss("train", cl::value_desc("loss"), cl::cat(category),
              cl::desc("Train the model down this output, one float: its entry "
                       "becomes `train`"));
cl::opt<std::string> optimizer(
    "optimizer", cl::value_desc("opt.json"), cl::cat(category), cl::init("{}"),
    cl::desc("How --train follows the gradients: a file, or JSON text as "
             "{\"kind\": \"adamw\", \"learning_rate\": 1e-3}"));
cl::opt<int64_t> microbatches(
    "microbatches", cl::value_desc("N"), cl::init(0), cl::cat(category),
    cl::desc("How many microbatches, each of the model's batch size, a step of "
             "training has; default: the configuration's, the model's, or 1"));
cl::opt<int64_t> rows(
    "rows", cl::value_desc("N"), cl::init(0), cl::cat(category),
    cl::desc(
        "How many rows a step of training has, in place of --microbatches: "
        "it has as many of the model's batch size as these are"));
ChoiceOption<PipelineKind> pipeline(
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
cl::opt<bool> allowUnused(
    "allow-unused", cl::cat(category),
    cl::desc("Warn of a parameter that gets no gradient, in place of failing"));
cl::opt<int64_t> activeMicrobatches(
    "active-microbatches", cl::value_desc("N"), cl::init(0), cl::cat(category),
    cl::desc("The most microbatches of training that are begun and not "
             "finished; default: the configuration's, or what is usual for the "
             "pipeline"));
cl::opt<int64_t> searchRounds(
    "search-rounds", cl::value_desc("N"), cl::init(0), cl::cat(category),
    cl::desc("Search a better order than the pipeline's, of the same stages "
             "and within the memory limit, in N rounds; default: 0, none"));
cl::opt<std::string> scheduleFile(
    "schedule", cl::value_desc("FILE.csv"), cl::cat(category),
    cl::desc("The order of training's work as a table, in place of the "
             "pipeline's; smp-inspect --schedule writes one"));
cl::opt<bool> captureAll(
    "capture-all", cl::cat(category),
    cl::desc("Let hooks watch every value that has a name: inputs, parameters, "
             "gradients, optimizer variables, what modules give"));
cl::opt<std::string> captureConfig(
    "capture", cl::value_desc("hook.json"), cl::cat(category),
    cl::desc("Let hooks watch what this configuration of a hook saves at some "
             "step; what is not watched costs nothing, at run time"));
cl::opt<std::string> savePlacement(
    "save-placement", cl::value_desc("p.json"), cl::cat(category),
    cl::desc("Write where every op is, by name, to a file that can be edited"));
cl::opt<std::string> loadPlacement(
    "load-placement", cl::value_desc("p.json"), cl::cat(category),
    cl::desc("Follow such a file: lines that were edited are pins, and the "
             "rest is solved from there; where nothing was, and model, options "
             "and costs are the same, it is taken as it is"));
cl::opt<std::string> costs(
    "costs", cl::value_desc("costs.json"), cl::cat(category),
    cl::desc(
        "What kernels and links take on the devices, as smp-run --profile "
        "has measured it; or x86-64-v2, x86-64-v3 or x86-64-v4: as smp was "
        "measured on a machine of that level; default: what is said of the "
        "target"));
cl::opt<std::string> costsOf(
    "costs-of", cl::value_desc("kind[:cores]"), cl::cat(category),
    cl::desc("Of which devices, where the file of --costs has several, as "
             "x86-64-v4:2"));
cl::list<std::string> weights(
    "weight", cl::value_desc("entry=N"), cl::CommaSeparated, cl::cat(category),
    cl::desc("How much entries count beside each other for the partitioner, as "
             "how often they are run; default: those that are trained, or all "
             "where none is"));
cl::opt<bool> printPlan("print-plan", cl::cat(category),
                        cl::desc("Print what each partition has to do"));

ChoiceOption<PlanKind> planKind(
    "plan", cl::cat(category), cl::init(PlanKind::AsSaid),
    cl::desc("How many of the --partitions devices work, how many parts of the "
             "model each has, the pipeline, what is computed again, and of "
             "several sizes of --dim the rows of a microbatch"),
    cl::values(clEnumValN(PlanKind::AsSaid, "as-said",
                          "by --pipeline and the like, all devices working"),
               clEnumValN(PlanKind::Auto, "auto",
                          "what is predicted to be fastest within the memory "
                          "limit; --print-plan lists what was looked at")));
cl::opt<int64_t> planNumber(
    "plan-number", cl::value_desc("N"), cl::init(1), cl::cat(category),
    cl::desc(
        "Take the N-th plan that --plan=auto lists, in place of the first"));
cl::opt<bool> explain(
    "explain", cl::cat(category),
    cl::desc("Print the plan, and what would be without each pin, with each op "
             "beside the border on its other side, and without the limit"));

} // namespace smp::flags
