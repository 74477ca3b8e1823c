// SPDX-License-Identifier: Apache-2.0
#include "Steps.h"
#include "smp/model/Philox.h"
#include "smp/tools/Disturbance.h"
#include <algorithm>

namespace smp::bench {

/// Tokens and classes of every network are below 65.
static void fill(HostTensor &tensor) {
  if (tensor.type.dtype == DType::F32) {
    fillNormal(tensor.bytes, DType::F32, 0, 1, /*seed=*/1);
    return;
  }
  uint64_t word = 1;
  for (int64_t &token : tensor.as<int64_t>()) {
    word = word * 6364136223846793005 + 1442695040888963407;
    token = int64_t((word >> 33) % 65);
  }
}

Inputs::Inputs(const EntrySignature &entry, uint32_t microbatches) {
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

Status Steps::add(Session &session, uint32_t microbatches, uint32_t count) {
  const EntrySignature entry = session.entries().front();
  const Inputs inputs(entry, microbatches);
  constexpr uint32_t kPatience = 3;
  const size_t wanted = seconds.size() + count;
  for (uint32_t i = 0; seconds.size() < wanted; ++i) {
    const Disturbance disturbance;
    SMP_RETURN_IF_ERROR(
        session.step(entry.name, inputs.all(), {microbatches, {}}).status());
    const double taken = disturbance.seconds();
    const bool isAlone = disturbance.isSmall();
    if (i == 0 || (!isAlone && i <= kPatience * count))
      continue;
    seconds.push_back(taken);
    disturbed += !isAlone;
  }
  return Status();
}

double Steps::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

} // namespace smp::bench
