// SPDX-License-Identifier: Apache-2.0
#include "CompiledModule.h"
#include "smp/compile/Compile.h"
#include "smp/serialization/ProgramFile.h"
#include <cstdlib>
#include <cstring>
#include <random>

using namespace mlir;
using namespace smp;
using namespace smp::test;

uint32_t smp::test::chooseSeed() {
  const char *given = std::getenv("SMP_TEST_SEED");
  return given ? uint32_t(std::strtoul(given, nullptr, 10))
               : std::random_device()();
}

DialectRegistry CompilerContext::registry() {
  DialectRegistry registry;
  compile::registerDialects(registry);
  return registry;
}

CompilerContext::CompilerContext()
    : mlir(registry()), handler(&mlir, [this](Diagnostic &diagnostic) {
        llvm::raw_string_ostream(messages) << diagnostic << "\n";
      }) {
  mlir.loadAllAvailableDialects();
}

std::unique_ptr<CompiledModule>
CompiledModule::compile(CompilerContext &context, ModuleOp module,
                        uint32_t partitions, const Machine &machine) {
  (void)context; // Says that its handler must outlive the call.
  compile::CompileOptions options;
  options.placement.partitions = partitions;
  options.placement.mode = passes::PartitionMode::Manual;
  options.targets = {machine.target};
  options.exporting.levels = machine.levels;
  auto compiled = std::make_unique<CompiledModule>();
  FailureOr<codegen::ExportedProgram> exported =
      compile::compile(module, ir::WeightStore(), options);
  if (failed(exported))
    return nullptr;
  compiled->exported = std::move(*exported);
  auto file = serializeProgram(compiled->exported.program);
  if (!file.ok()) {
    module.emitError() << "cannot be written: " << file.status().message();
    return nullptr;
  }
  compiled->file = file.take();
  return compiled;
}

StatusOr<Session> CompiledModule::open(const Machine &machine,
                                       const std::string &level,
                                       unsigned cores) const {
  StatusOr<SharedProgram> shared = SharedProgram::read(file);
  if (!shared.ok())
    return shared.status();
  SessionOptions options;
  options.level = level;
  options.devices = machine.devices(program().partitions, cores);
  return Session::open(*shared, std::move(options));
}

StatusOr<std::vector<HostTensor>>
smp::test::runStep(Session &session, const std::string &entry,
                   std::span<const HostTensor> inputs) {
  std::vector<std::string> names;
  std::vector<InputTensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i)
    names.push_back("i" + std::to_string(i));
  for (size_t i = 0; i < inputs.size(); ++i)
    tensors.push_back(
        {names[i],
         {inputs[i].type.dtype, inputs[i].type.shape, inputs[i].bytes.data()}});
  StatusOr<StepOutput> output = session.step(entry, tensors);
  if (!output.ok())
    return output.status();
  std::vector<HostTensor> results;
  for (const OutputTensor &tensor : output->all()) {
    HostTensor &copy = results.emplace_back();
    copy.type = {tensor.dtype, {tensor.shape.begin(), tensor.shape.end()}};
    copy.bytes.resize(tensor.bytes);
    if (tensor.bytes)
      std::memcpy(copy.bytes.data(), tensor.data, tensor.bytes);
  }
  return results;
}
