// SPDX-License-Identifier: Apache-2.0
#include "Backend.h"
#include "CompileHere.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/runtime/Session.h"

namespace smp::conformance {

namespace {
class CompiledBackend : public Backend {
public:
  CompiledBackend() { compile::registerDialects(registry); }

  Outcome run(const Case &test, const std::vector<NamedTensor> &inputs,
              const std::map<std::string, HostTensor> &bound) override {
    Outcome outcome;
    auto program = compileCase(test, bound, outcome.error);
    if (!program)
      return outcome;
    Status status = execute(program->get(), inputs, outcome.outputs);
    if (!status.ok())
      outcome.error = status.message();
    return outcome;
  }

private:
  std::optional<test::ProgramBytes>
  compileCase(const Case &testCase,
              const std::map<std::string, HostTensor> &bound,
              std::string &error) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      if (error.empty() && d.getSeverity() == mlir::DiagnosticSeverity::Error)
        error = d.str();
      return mlir::success();
    });
    OnnxOptions importing;
    importing.constants = bound;
    auto model = importOnnx(&context, testCase.model().string(), importing);
    if (failed(model))
      return std::nullopt;
    std::string reason;
    auto program =
        test::compileHere(*model->module, model->weights, {}, reason);
    if (!program)
      error = "does not compile: " + reason;
    return program;
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
