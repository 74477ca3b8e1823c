// SPDX-License-Identifier: Apache-2.0
// The index of tensors that are in several safetensors files.

#ifndef SMP_SERIALIZATION_SAFETENSORSINDEX_H
#define SMP_SERIALIZATION_SAFETENSORSINDEX_H

#include "smp/serialization/CheckpointManifest.h"

namespace smp {

/// The JSON of a "model.safetensors.index.json", which tells other tools which
/// file has which of a checkpoint's parameters; nothing when they are in one.
/// `owner` is what its name begins with: see kOwnerOfFile.
std::optional<std::string>
formatSafetensorsIndex(const CheckpointManifest &manifest,
                       std::string_view owner);

/// The owner that an index names; empty: it names none, or is no index.
std::string ownerOfSafetensorsIndex(std::string_view text);

} // namespace smp

#endif // SMP_SERIALIZATION_SAFETENSORSINDEX_H
