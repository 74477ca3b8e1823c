// SPDX-License-Identifier: Apache-2.0
// Weights and programs as files.

#include "smp/base/AtomicFile.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Smp.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Safetensors.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace smp::compile {

StatusOr<ir::WeightStore> loadStoredWeights(ModuleOp module, StringRef folder,
                                            std::vector<std::string> &paths) {
  ir::WeightStore store;
  std::map<std::string, std::shared_ptr<Safetensors>> files;
  for (auto variable : module.getOps<ir::VariableOp>()) {
    auto stored = dyn_cast<ir::StoredAttr>(variable.getInitializer());
    if (!stored)
      continue;
    auto &file = files[stored.getFile().str()];
    if (!file) {
      llvm::SmallString<256> path(stored.getFile());
      if (llvm::sys::path::is_relative(path)) {
        path = folder;
        llvm::sys::path::append(path, stored.getFile());
      }
      SMP_ASSIGN_OR_RETURN(Safetensors opened,
                           Safetensors::open(path.str().str()));
      paths.push_back(path.str().str());
      file = std::make_shared<Safetensors>(std::move(opened));
    }
    std::string name = variable.getSymName().str();
    const SafetensorsTensor *tensor = file->find(name);
    if (!tensor)
      return invalidArgument("variable '" + name + "' is stored in " +
                             stored.getFile().str() +
                             ", which has no tensor of that name");
    if (!store.add(name, {tensor->type, tensor->bytes, file}))
      return invalidArgument("variable '" + name + "' is declared twice");
  }
  return store;
}

Status writeExported(const codegen::ExportedProgram &exported,
                     const std::string &path) {
  const Weights &weights = exported.program.weights;
  if (weights.file.empty())
    return writeProgram(exported.program, path);
  SMP_ASSIGN_OR_RETURN(std::string beside, pathBeside(path, weights.file));
  // Without weights it is small.
  SMP_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                       serializeProgram(exported.program));
  return writeFile(path, bytes,
                   [&] { return writeFile(beside, exported.weights); });
}

} // namespace smp::compile
