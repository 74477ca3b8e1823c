// SPDX-License-Identifier: Apache-2.0
#include "Backend.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/compile/Compile.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"

namespace smp::conformance {

/// The level of this machine: what its Sessions will choose.
static std::string machineLevel() {
  if (__builtin_cpu_supports("x86-64-v4"))
    return "v4";
  return __builtin_cpu_supports("x86-64-v3") ? "v3" : "v2";
}

namespace {
/// The bytes of a program, aligned as its reader wants them.
class ProgramBytes {
public:
  explicit ProgramBytes(const std::vector<std::byte> &bytes)
      : size(bytes.size()),
        storage(static_cast<std::byte *>(::operator new(
            bytes.size(), std::align_val_t(kProgramAlignment)))) {
    memcpy(storage.get(), bytes.data(), size);
  }
  std::span<const std::byte> get() const { return {storage.get(), size}; }

private:
  struct Free {
    void operator()(std::byte *p) const {
      ::operator delete(p, std::align_val_t(kProgramAlignment));
    }
  };
  size_t size;
  std::unique_ptr<std::byte, Free> storage;
};

class CompiledBackend : public Backend {
public:
  CompiledBackend() { compile::registerDialects(registry); }

  Outcome run(const Case &test, const std::vector<NamedTensor> &inputs,
              const std::map<std::string, HostTensor> &bound) override {
    Outcome outcome;
    auto bytes = compileCase(test, bound, outcome.error);
    if (!bytes)
      return outcome;
    ProgramBytes program(*bytes);
    Status status = execute(program.get(), inputs, outcome.outputs);
    if (!status.ok())
      outcome.error = status.message();
    return outcome;
  }

private:
  std::optional<std::vector<std::byte>>
  compileCase(const Case &test, const std::map<std::string, HostTensor> &bound,
              std::string &error) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      if (error.empty() && d.getSeverity() == mlir::DiagnosticSeverity::Error)
        error = d.str();
      return mlir::success();
    });
    OnnxOptions importing;
    importing.constants = bound;
    auto model = importOnnx(&context, test.model().string(), importing);
    if (failed(model))
      return std::nullopt;
    compile::CompileOptions options;
    options.exporting.levels = {machineLevel()};
    auto exported = compile::compile(*model->module, model->weights, options);
    if (failed(exported)) {
      error = "does not compile: " + error;
      return std::nullopt;
    }
    auto bytes = serializeProgram(exported->program);
    if (!bytes.ok()) {
      error = "gives no program: " + std::string(bytes.status().message());
      return std::nullopt;
    }
    return bytes.take();
  }

  static Status execute(std::span<const std::byte> bytes,
                        const std::vector<NamedTensor> &inputs,
                        std::vector<HostTensor> &outputs) {
    auto program = SharedProgram::read(bytes);
    if (!program.ok())
      return program.status();
    auto session = Session::open(*program);
    if (!session.ok())
      return session.status();
    EntrySignature entry = program->entries().at(0);
    std::vector<InputTensor> given;
    for (const TensorSignature &wanted : entry.inputs) {
      const NamedTensor *input = findInput(inputs, wanted.name, given.size());
      if (!input)
        return invalidArgument("input '" + wanted.name + "' has no value");
      DType dtype = input->tensor.type.dtype;
      if (dtype == DType::U16 && wanted.dtype == DType::BF16)
        dtype = DType::BF16;
      given.push_back(
          {wanted.name,
           {dtype, input->tensor.type.shape, input->tensor.bytes.data()}});
    }
    auto output = session->step(entry.name, given);
    if (!output.ok())
      return output.status();
    for (const OutputTensor &tensor : output->all()) {
      auto *data = static_cast<const std::byte *>(tensor.data);
      TensorType type{tensor.dtype, {tensor.shape.begin(), tensor.shape.end()}};
      outputs.push_back({type, {data, data + tensor.bytes}});
    }
    return Status();
  }

  mlir::DialectRegistry registry;
};
} // namespace

std::unique_ptr<Backend> makeCompiledBackend() {
  return std::make_unique<CompiledBackend>();
}

} // namespace smp::conformance
