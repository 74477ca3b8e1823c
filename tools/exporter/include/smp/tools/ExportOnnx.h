// SPDX-License-Identifier: Apache-2.0
// Models to ONNX: what the importer reads, the other way round.

#ifndef SMP_TOOLS_EXPORTONNX_H
#define SMP_TOOLS_EXPORTONNX_H

#include "smp/tools/ExportedModel.h"

namespace smp {

/// The operator set that models are written for.
inline constexpr int kOnnxOpset = 20;

/// Of this many bytes of weights on they are in a file of their own: a message
/// of protobuf has at most 2 GiB.
inline constexpr uint64_t kMostOnnxBytesInside = uint64_t(1) << 30;

/// Writes the model; where its weights have more than `mostInside` bytes they
/// go beside it, as `<file>.data`. Both appear complete or not at all. An error
/// names every op that ONNX has no counterpart for.
Status writeOnnx(const ExportedModel &model, const std::string &path,
                 uint64_t mostInside = kMostOnnxBytesInside);

/// The same in memory, with the weights inside.
StatusOr<std::string> serializeOnnx(const ExportedModel &model);

} // namespace smp

#endif // SMP_TOOLS_EXPORTONNX_H
