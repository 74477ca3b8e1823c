// SPDX-License-Identifier: Apache-2.0
#include "Microbatched.h"
#include "CompiledBackend.h"
#include <onnx/onnx_pb.h>

namespace smp::conformance {

/// The first input that is no initialiser; null: there is none of rank 1.
static onnx::ValueInfoProto *firstInput(onnx::GraphProto &graph) {
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    bool isInitialised = false;
    for (const onnx::TensorProto &tensor : graph.initializer())
      isInitialised |= tensor.name() == input.name();
    if (!isInitialised)
      return input.type().tensor_type().shape().dim_size() ? &input : nullptr;
  }
  return nullptr;
}

static std::string runWith(const Case &test, const Data &data,
                           onnx::ModelProto model, int64_t rows) {
  onnx::ValueInfoProto *input = firstInput(*model.mutable_graph());
  input->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(rows);
  OnnxOptions options;
  options.batch = {{input->name(), 0}};
  for (size_t i = 0; i < data.inputs.size(); ++i)
    if (const NamedTensor &other = data.inputs[i];
        i > 0 && other.tensor.type.shape.size() <= 1 &&
        !isFloat(other.tensor.type.dtype))
      options.constants[other.name] = other.tensor;
  std::string error;
  auto program = compileModel(
      {model.SerializeAsString(), "model.onnx", test.folder.string()}, options,
      error);
  if (!program)
    return kRefused + error;
  std::vector<HostTensor> outputs;
  if (Status status = runProgram(program->get(), data.inputs, outputs);
      !status.ok())
    return kRefused + status.message();
  for (size_t i = 0; i < outputs.size(); ++i)
    if (std::string difference = compare(data.outputs[i].tensor, outputs[i]);
        !difference.empty())
      return "output " + std::to_string(i) + " in microbatches of " +
             std::to_string(rows) + " rows " + difference;
  return {};
}

std::string runMicrobatched(const Case &test) {
  std::string error;
  auto data = readData(test, error);
  auto bytes = readModel(test, error);
  onnx::ModelProto model;
  if (!data || !bytes || !model.ParseFromString(*bytes))
    return kNoRows + error;
  if (data->inputs.empty() || !firstInput(*model.mutable_graph()))
    return std::string(kNoRows) + "its first input has no dimension";
  const Shape &shape = data->inputs[0].tensor.type.shape;
  const int64_t rows = shape.empty() ? 0 : shape[0];
  if (rows < 2)
    return kNoRows + std::to_string(rows);
  std::string result = runWith(test, *data, model, 1);
  const bool isRefused = result.find(kRefused) == 0;
  if (rows % 2 || rows == 2 || (!result.empty() && !isRefused))
    return result;
  // In two halves it may be another matter.
  std::string halves = runWith(test, *data, model, rows / 2);
  return halves.empty() ? result : halves;
}

} // namespace smp::conformance
