// SPDX-License-Identifier: Apache-2.0
// TensorProto to checked bytes.

#ifndef SMP_IMPORT_LIB_TENSORS_H
#define SMP_IMPORT_LIB_TENSORS_H

#include "smp/ir/WeightStore.h"
#include <optional>
#include <string>

namespace onnx {
class TensorProto;
} // namespace onnx

namespace smp::frontend {

class ExternalFiles;

/// The tensor's bytes, taken out of `tensor` where they are raw. Nothing, with
/// the reason in `error`, when type, shape and data do not agree.
std::optional<ir::Weight> readTensor(onnx::TensorProto &tensor,
                                     ExternalFiles &files, std::string &error);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_TENSORS_H
