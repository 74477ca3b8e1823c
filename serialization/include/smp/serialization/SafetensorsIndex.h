// SPDX-License-Identifier: Apache-2.0
// The index of tensors that are in several safetensors files.

#ifndef SMP_SERIALIZATION_SAFETENSORSINDEX_H
#define SMP_SERIALIZATION_SAFETENSORSINDEX_H

#include <cstdint>
#include <map>
#include <string>

namespace smp {

/// The JSON of a "model.safetensors.index.json", which tells other tools the
/// file of each tensor. `totalBytes` is the size of all tensors.
std::string
formatSafetensorsIndex(const std::map<std::string, std::string> &fileOfTensor,
                       uint64_t totalBytes);

} // namespace smp

#endif // SMP_SERIALIZATION_SAFETENSORSINDEX_H
