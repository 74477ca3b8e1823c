// SPDX-License-Identifier: Apache-2.0
// The tensors of one model.

#ifndef SMP_IMPORT_LIB_MODELTENSORS_H
#define SMP_IMPORT_LIB_MODELTENSORS_H

#include "ExternalFiles.h"
#include "Tensors.h"
#include "llvm/ADT/DenseMap.h"

namespace smp::frontend {

/// Reads each tensor of a model once, however often the model is imported:
/// reading takes the bytes out of the message. Tensors that it has read outlive
/// it.
class ModelTensors {
public:
  /// As ExternalFiles().
  ModelTensors(llvm::StringRef folder, llvm::StringRef allowed)
      : files(folder, allowed) {}

  /// As readTensor().
  std::optional<ir::Weight> read(onnx::TensorProto &tensor,
                                 std::string &error) {
    if (auto known = weights.find(&tensor); known != weights.end())
      return known->second;
    std::optional<ir::Weight> weight = readTensor(tensor, files, error);
    if (weight)
      weights[&tensor] = *weight;
    return weight;
  }

  /// Paths of the files beside the model that tensors were in.
  std::vector<std::string> paths() const { return files.paths(); }

private:
  ExternalFiles files;
  llvm::DenseMap<const onnx::TensorProto *, ir::Weight> weights;
};

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_MODELTENSORS_H
