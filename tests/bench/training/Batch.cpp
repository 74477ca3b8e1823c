// SPDX-License-Identifier: Apache-2.0
#include "Batch.h"

namespace smp::bench {

static void fill(HostTensor &tensor) {
  for (size_t i = 0; i < size_t(tensor.type.elements()); ++i) {
    const uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u >> 32;
    if (tensor.type.dtype == DType::I64)
      tensor.as<int64_t>()[i] = int64_t(mixed % kLeastClasses);
    else
      tensor.as<float>()[i] = float(mixed) * 0x1p-31f - 1;
  }
}

Batch::Batch(const EntrySignature &entry, uint32_t microbatches) {
  microbatches = microbatches ? microbatches : entry.microbatches;
  for (const TensorSignature &input : entry.inputs) {
    std::vector<int64_t> &shape = shapes.emplace_back(input.shape);
    if (input.batchAxis >= 0)
      shape[size_t(input.batchAxis)] *= microbatches;
    HostTensor &tensor =
        tensors.emplace_back(HostTensor::zeros({input.dtype, Shape(shape)}));
    fill(tensor);
    names.push_back(input.name);
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    views.push_back(
        {names[i],
         {tensors[i].type.dtype, shapes[i], tensors[i].bytes.data()}});
}

} // namespace smp::bench
