// SPDX-License-Identifier: Apache-2.0
// A graph as ONNX has it, but for the bytes of its weights.

#ifndef SMP_TOOLS_EXPORTER_GRAPHTOONNX_H
#define SMP_TOOLS_EXPORTER_GRAPHTOONNX_H

#include "Onnx.pb.h"
#include "smp/tools/ExportedModel.h"

namespace smp::onnx {

/// A variable that the graph reads, and its initialiser, which has no data yet.
struct Weight {
  proto::onnx::Tensor *tensor;
  std::span<const std::byte> bytes;
};

/// Fills an empty message; the weights are in the order of its initialisers.
StatusOr<std::vector<Weight>> toOnnx(const ExportedModel &model,
                                     proto::onnx::Model &result);

} // namespace smp::onnx

#endif // SMP_TOOLS_EXPORTER_GRAPHTOONNX_H
