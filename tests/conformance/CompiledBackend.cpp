// SPDX-License-Identifier: Apache-2.0
#include "CompiledBackend.h"
#include "Machine.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/runtime/Session.h"

namespace smp::conformance {

mlir::DialectRegistry &compiledDialects() {
  static mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry made;
    compile::registerDialects(made);
    return made;
  }();
  return registry;
}

std::optional<test::ProgramBytes> compileModel(ModelSource model,
                                               const OnnxOptions &options,
                                               std::string &error) {
  mlir::MLIRContext context(compiledDialects(),
                            mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (error.empty() && d.getSeverity() == mlir::DiagnosticSeverity::Error)
      error = d.str();
    return mlir::success();
  });
  auto imported =
      importOnnx(&context, model.bytes, model.name, model.folder, options);
  if (failed(imported))
    return std::nullopt;
  std::string reason;
  auto program =
      test::compileHere(*imported->module, imported->weights, {}, reason);
  if (!program)
    error = "does not compile: " + reason;
  return program;
}

/// The inputs as the entry wants them; false when one has no value.
static Status bindInputs(const EntrySignature &entry,
                         const std::vector<NamedTensor> &inputs,
                         std::vector<InputTensor> &given) {
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
  return Status();
}

Status runProgram(std::span<const std::byte> bytes,
                  const std::vector<NamedTensor> &inputs,
                  std::vector<HostTensor> &outputs) {
  auto program = SharedProgram::read(bytes);
  if (!program.ok())
    return program.status();
  auto session =
      Session::open(*program, {.devices = test::machineUnderTest().devices(1)});
  if (!session.ok())
    return session.status();
  EntrySignature entry = program->entries().at(0);
  std::vector<InputTensor> given;
  SMP_RETURN_IF_ERROR(bindInputs(entry, inputs, given));
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

namespace {
class CompiledBackend : public Backend {
public:
  Outcome run(const Case &test, const std::vector<NamedTensor> &inputs,
              const std::map<std::string, HostTensor> &bound) override {
    Outcome outcome;
    auto bytes = readModel(test, outcome.error);
    if (!bytes)
      return outcome;
    OnnxOptions options;
    options.constants = bound;
    auto program = compileModel({*bytes, "model.onnx", test.folder.string()},
                                options, outcome.error);
    if (!program)
      return outcome;
    Status status = runProgram(program->get(), inputs, outcome.outputs);
    if (!status.ok())
      outcome.error = status.message();
    return outcome;
  }
};
} // namespace

std::unique_ptr<Backend> makeCompiledBackend() {
  return std::make_unique<CompiledBackend>();
}

} // namespace smp::conformance
