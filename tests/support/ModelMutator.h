// SPDX-License-Identifier: Apache-2.0
// Changes what ONNX models say, as an exporter might that has a mistake.

#ifndef SMP_TESTS_SUPPORT_MODELMUTATOR_H
#define SMP_TESTS_SUPPORT_MODELMUTATOR_H

#include <cstdint>
#include <onnx/onnx_pb.h>
#include <random>

namespace smp {

/// The same seed and the same model give the same changes.
class ModelMutator {
public:
  explicit ModelMutator(uint32_t seed) : random(seed) {}

  /// Makes one to three changes: of nodes and what connects them, of
  /// attributes, of tensors and types, of the graph and its versions. The model
  /// stays a message that parses.
  void mutate(onnx::ModelProto &model);

private:
  std::mt19937 random;
};

} // namespace smp

#endif // SMP_TESTS_SUPPORT_MODELMUTATOR_H
