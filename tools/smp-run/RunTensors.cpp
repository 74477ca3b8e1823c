// SPDX-License-Identifier: Apache-2.0
#include "RunTensors.h"
#include "RunAdvice.h"
#include "smp/base/Lists.h"
#include "smp/model/HostMemory.h"
#include "smp/model/Philox.h"
#include "smp/tools/Npy.h"
#include "smp/tools/Output.h"
#include <algorithm>
#include <cstdio>

namespace smp {

static const TensorSignature *find(const std::vector<TensorSignature> &tensors,
                                   const std::string &name) {
  for (const TensorSignature &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

static StatusOr<HostTensor> makeUp(const TensorSignature &signature,
                                   uint32_t microbatches, uint64_t seed) {
  TensorType type{signature.dtype, signature.shape};
  if (signature.batchAxis >= 0)
    type.shape[size_t(signature.batchAxis)] *= std::max(1u, microbatches);
  const auto bytes = uint64_t(checkedBytes(type).value_or(INT64_MAX));
  if (std::string lack = checkMemory(bytes); !lack.empty())
    return resourceExhausted("--random: input '" + signature.name + "' " +
                             lack);
  HostTensor tensor = HostTensor::zeros(type);
  if (isFloat(type.dtype))
    fillNormal(tensor.bytes, type.dtype, 0, 1, seed);
  return tensor;
}

StatusOr<NamedTensors> loadInputs(const RunOptions &options,
                                  const EntrySignature &entry) {
  NamedTensors tensors;
  for (const auto &[name, path] : options.inputs) {
    const TensorSignature *signature = find(entry.inputs, name);
    if (!signature)
      return invalidArgument("entry '" + entry.name + "' has no input '" +
                             name + "'; its inputs are: " +
                             listNames(entry.inputs, &TensorSignature::name));
    SMP_ASSIGN_OR_RETURN(HostTensor tensor, readNpy(path));
    if (signature->dtype == DType::BF16 && tensor.type.dtype == DType::U16)
      tensor.type.dtype = DType::BF16; // Its bits: see writeNpy.
    SMP_RETURN_IF_ERROR(checkElements(path, tensor, *signature));
    if (!tensors.emplace(name, std::move(tensor)).second)
      return invalidArgument("--input '" + name + "' is given twice");
  }
  if (!options.randomSeed)
    return tensors;
  uint64_t number = 0;
  for (const TensorSignature &signature : entry.inputs) {
    const uint64_t seed = *options.randomSeed + number++;
    if (tensors.count(signature.name))
      continue;
    SMP_ASSIGN_OR_RETURN(
        HostTensor tensor,
        makeUp(signature,
               options.microbatches ? options.microbatches : entry.microbatches,
               seed));
    tensors.emplace(signature.name, std::move(tensor));
  }
  return tensors;
}

Status checkOutputs(const RunOptions &options, const EntrySignature &entry) {
  for (const auto &[name, path] : options.outputs)
    if (!find(entry.outputs, name))
      return invalidArgument("entry '" + entry.name + "' has no output '" +
                             name + "'; its outputs are: " +
                             listNames(entry.outputs, &TensorSignature::name));
  return Status();
}

/// What a float, or one per microbatch, is: " = 4.25 4.5".
static std::string valuesOf(const OutputTensor &output) {
  if (output.dtype != DType::F32 || output.bytes != sizeof(float) ||
      output.batchAxis >= 0)
    return "";
  std::string text = " =";
  for (uint32_t m = 0; m < output.microbatches; ++m) {
    char number[32];
    std::snprintf(number, sizeof(number), " %.9g",
                  double(*static_cast<const float *>(output.microbatch(m))));
    text += number;
  }
  return text;
}

Status writeOutputs(const RunOptions &options,
                    std::span<const OutputTensor> outputs) {
  std::string summary;
  for (const OutputTensor &output : outputs) {
    const TensorType type{output.dtype,
                          Shape(output.shape.begin(), output.shape.end())};
    for (const auto &[name, path] : options.outputs)
      if (name == output.name)
        SMP_RETURN_IF_ERROR(writeNpy(
            type, {static_cast<const std::byte *>(output.data), output.bytes},
            path));
    if (options.outputs.empty() && options.stats.empty())
      summary += std::string(output.name) + ": " + toString(type) +
                 valuesOf(output) + "\n";
  }
  return printOutput(summary);
}

} // namespace smp
