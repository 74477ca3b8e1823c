// SPDX-License-Identifier: Apache-2.0
#include "smp/compile/CompileModel.h"
#include "smp/base/AtomicFile.h"
#include "smp/compile/Compile.h"
#include "smp/compile/Init.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Placement.h"
#include "smp/serialization/Config.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Safetensors.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace smp {

Status init(const std::string &pathOrText) {
  SMP_ASSIGN_OR_RETURN(Config config, readConfig(pathOrText));
  return init(config);
}

namespace compile {

/// The options, and where there is none what the process's configuration says.
static CompileOptions withDefaults(const ModelOptions &options) {
  CompileOptions whole;
  if (std::optional<Config> config = initializedConfig())
    configure(*config, whole);
  if (options.placement)
    whole.placement = *options.placement;
  whole.plansAll = options.plansAll;
  if (options.pipeline)
    whole.exporting.pipeline.kind = *options.pipeline;
  if (options.activeMicrobatches)
    whole.exporting.pipeline.active = options.activeMicrobatches;
  whole.exporting.table = options.schedule;
  whole.exporting.searchRounds = options.searchRounds;
  whole.costs = options.costs;
  whole.allowUnused = options.allowUnused;
  if (options.capture)
    whole.isWatched = [&capture = options.capture](StringRef name,
                                                   ir::TapRole role) {
      return capture(std::string_view(name), TapRole(role));
    };
  whole.targets = options.targets;
  whole.exporting.levels = options.levels;
  whole.exporting.assembler = options.cubins;
  whole.exporting.weightsFile = options.weightsFile;
  whole.exporting.progress = options.progress;
  return whole;
}

namespace {

/// Keeps the first error of a context, with the name of the op, and all
/// remarks, a line each.
class Messages {
public:
  explicit Messages(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            keep(diagnostic);
          if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
            lines += diagnostic.str() + "\n";
            for (Diagnostic &note : diagnostic.getNotes())
              lines += "  " + note.str() + "\n";
          }
          return success();
        }) {}
  const std::string &error() const { return first; }
  const std::string &remarks() const { return lines; }

private:
  void keep(Diagnostic &diagnostic) {
    if (!first.empty())
      return;
    first = diagnostic.str();
    StringRef name = ir::getSourceName(diagnostic.getLocation());
    if (!name.empty() && !StringRef(first).contains("'" + name.str() + "'"))
      first = "'" + name.str() + "': " + first;
    for (Diagnostic &note : diagnostic.getNotes())
      first += "; " + note.str();
  }

  std::string first, lines;
  ScopedDiagnosticHandler handler;
};

} // namespace

Status CompiledModel::write(const std::string &path) const {
  if (weightsFile.empty())
    return writeFile(path, programBytes);
  SMP_ASSIGN_OR_RETURN(std::string weightsPath, pathBeside(path, weightsFile));
  return writeFile(path, programBytes,
                   [&] { return writeFile(weightsPath, weightBytes); });
}

/// One model, or one for each of several sizes, to a program.
class ModelCompiler {
public:
  explicit ModelCompiler(const ModelOptions &options) : options(options) {}

  /// `rows`: of a microbatch, where sizes are chosen from.
  void add(Model model, int64_t rows = 0) {
    ModelParts &parts = models.emplace_back(std::move(model)).parts();
    DialectRegistry registry;
    registerDialects(registry);
    parts.context->appendDialectRegistry(registry);
    parts.context->enableMultithreading();
    parts.context->printOpOnDiagnostic(false);
    messages.push_back(std::make_unique<Messages>(parts.context.get()));
    if (!sized.empty())
      parts.weights.share(sized.front().weights);
    sized.push_back({*parts.module, parts.weights, rows});
  }

  StatusOr<CompiledModel> run() {
    CompileOptions whole = withDefaults(options);
    std::string plan;
    llvm::raw_string_ostream planStream(plan);
    if (options.plan)
      whole.plan = &planStream;
    auto exported = compile(sized, whole);
    if (options.plan)
      *options.plan = plan + remarks();
    if (failed(exported))
      return invalidArgument(error());
    CompiledModel result;
    SMP_ASSIGN_OR_RETURN(result.programBytes,
                         serializeProgram(exported->program));
    if (!options.weightsFile.empty() &&
        !exported->program.weights.file.empty()) {
      result.weightBytes = std::move(exported->weights);
      result.weightsFile = options.weightsFile;
    }
    return result;
  }

private:
  std::string remarks() const {
    std::string lines;
    for (const auto &each : messages)
      lines += each->remarks();
    return lines;
  }
  std::string error() const {
    for (const auto &each : messages)
      if (!each->error().empty())
        return each->error();
    return {};
  }

  const ModelOptions &options;
  std::vector<Model> models;
  std::vector<std::unique_ptr<Messages>> messages; ///< Of the models' contexts.
  std::vector<SizedModel> sized;                   ///< Borrows from `models`.
};

StatusOr<CompiledModel> compileModel(Model model, const ModelOptions &options) {
  ModelCompiler compiler(options);
  compiler.add(std::move(model));
  return compiler.run();
}

/// That there are sizes to choose from, and something chooses.
static Status checkSizes(std::span<const int64_t> sizes,
                         const ModelOptions &options) {
  if (!options.plansAll)
    return invalidArgument(
        "a model for several sizes of its microbatches needs "
        "ModelOptions::plansAll, which chooses among them");
  if (sizes.empty())
    return invalidArgument("there is no size of microbatches to choose; give "
                           "one at least");
  for (auto size = sizes.begin(); size != sizes.end(); ++size)
    if (*size < 1)
      return invalidArgument("a size of microbatches is " +
                             std::to_string(*size) +
                             "; each has 1 row at least");
    else if (std::find(sizes.begin(), size, *size) != size)
      return invalidArgument("the size " + std::to_string(*size) +
                             " of microbatches is given twice");
  return Status();
}

StatusOr<CompiledModel> compileModel(const ModelOfRows &build,
                                     std::span<const int64_t> sizes,
                                     const ModelOptions &options) {
  SMP_RETURN_IF_ERROR(checkSizes(sizes, options));
  ModelCompiler compiler(options);
  for (int64_t size : sizes) {
    StatusOr<Model> model = build(size);
    if (!model.ok())
      return model.status().in("microbatches of " + std::to_string(size));
    compiler.add(model.take(), size);
  }
  return compiler.run();
}

Status writeModel(Model &model, const std::string &path) {
  ModelParts &parts = model.parts();
  std::string file = (llvm::sys::path::stem(path) + ".safetensors").str();
  auto stored = ir::StoredAttr::get(parts.context.get(), file);
  std::vector<SafetensorsTensor> tensors;
  for (auto variable : parts.module->getOps<ir::VariableOp>()) {
    std::string name = variable.getSymName().str();
    const ir::Weight *weight = parts.weights.find(name);
    if (!isa<ir::StoredAttr>(variable.getInitializer()) || !weight)
      continue;
    variable.setInitializerAttr(stored);
    tensors.push_back({name, weight->type, weight->bytes});
  }
  const std::string text = model.text();
  if (tensors.empty())
    return writeFile(path, text);
  SMP_ASSIGN_OR_RETURN(std::string weightsPath, pathBeside(path, file));
  return writeFile(path, std::as_bytes(std::span(text)), [&] {
    return writeSafetensors(tensors, {}, weightsPath).status();
  });
}

} // namespace compile
} // namespace smp
