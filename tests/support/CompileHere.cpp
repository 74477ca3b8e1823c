// SPDX-License-Identifier: Apache-2.0
#include "CompileHere.h"
#include "Machine.h"
#include "MemoryCheck.h"
#include "ProgramSize.h"
#include "mlir/IR/Diagnostics.h"
#include "smp/serialization/ProgramFile.h"
#include <cstring>
#include <new>

namespace smp::test {

static constexpr std::align_val_t kAlignment{kProgramAlignment};

ProgramBytes::ProgramBytes(const std::vector<std::byte> &bytes)
    : size(bytes.size()), storage(static_cast<std::byte *>(
                              ::operator new(bytes.size(), kAlignment))) {
  std::memcpy(storage.get(), bytes.data(), size);
}

void ProgramBytes::Free::operator()(std::byte *bytes) const {
  ::operator delete(bytes, kAlignment);
}

std::optional<ProgramBytes> compileHere(mlir::ModuleOp module,
                                        const ir::WeightStore &weights,
                                        compile::CompileOptions options,
                                        std::string &error) {
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &d) {
        if (error.empty() && d.getSeverity() == mlir::DiagnosticSeverity::Error)
          error = d.str();
        return mlir::success();
      });
  const Machine &machine = machineUnderTest();
  options.targets = {machine.target};
  options.exporting.levels = {machine.levels.back()};
  auto exported = compile::compile(module, weights, options);
  if (failed(exported))
    return std::nullopt;
  auto bytes = serializeProgram(exported->program);
  if (!bytes.ok()) {
    error = bytes.status().message();
    return std::nullopt;
  }
  ProgramBytes program(*bytes);
  error = checkSize(program.get());
  if (error.empty())
    error = checkMemory(program.get());
  if (!error.empty())
    return std::nullopt;
  return program;
}

} // namespace smp::test
