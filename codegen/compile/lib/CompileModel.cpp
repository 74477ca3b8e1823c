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

StatusOr<CompiledModel> compileModel(Model model, const ModelOptions &options) {
  ModelParts &parts = model.parts();
  DialectRegistry registry;
  registerDialects(registry);
  parts.context->appendDialectRegistry(registry);
  parts.context->enableMultithreading();
  parts.context->printOpOnDiagnostic(false);
  Messages messages(parts.context.get());

  CompileOptions whole = withDefaults(options);
  std::string plan;
  llvm::raw_string_ostream planStream(plan);
  if (options.plan)
    whole.plan = &planStream;
  auto exported = compile(*parts.module, parts.weights, whole);
  if (options.plan)
    *options.plan = plan + messages.remarks();
  if (failed(exported))
    return invalidArgument(messages.error());

  CompiledModel result;
  SMP_ASSIGN_OR_RETURN(result.programBytes,
                       serializeProgram(exported->program));
  if (!options.weightsFile.empty() && !exported->program.weights.file.empty()) {
    result.weightBytes = std::move(exported->weights);
    result.weightsFile = options.weightsFile;
  }
  return result;
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
