// SPDX-License-Identifier: Apache-2.0
// What the files of a checkpoint are called.

#ifndef SMP_SERIALIZATION_CHECKPOINTFILES_H
#define SMP_SERIALIZATION_CHECKPOINTFILES_H

#include <string>
#include <string_view>

namespace smp {

/// The files of the checkpoint `name`, in the order in which they are written.
/// Those of tensors are shards when there are several of one: see
/// shardSuffix().
inline constexpr std::string_view kModelSuffix = ".model.safetensors",
                                  kStateSuffix = ".state.safetensors",
                                  kManifestSuffix = ".json";

/// In the metadata of a file of tensors, or of their index: what the names of
/// the files that were written with it begin with, "ckpt-3" or "ckpt-3.again".
inline constexpr const char *kOwnerOfFile = "smp.checkpoint";

/// Of the file that a manager has locked while it saves checkpoints of a name:
/// "ckpt.lock" for "ckpt-3".
inline constexpr std::string_view kLockSuffix = ".lock";

/// "-00001-of-00002" before the suffix's ".safetensors" for the first of two
/// shards, as other tools call them; the suffix for the only one.
std::string shardSuffix(std::string_view suffix, size_t shard, size_t count);
/// Of the file that tells other tools which shard has which parameter.
inline constexpr std::string_view kIndexSuffix =
    ".model.safetensors.index.json";
/// After the name in those of a checkpoint that took the place of one of its
/// name, unless that had it: "ckpt-5.again.model.safetensors". The manifest
/// says which there are.
inline constexpr std::string_view kAgain = ".again";
/// Of a manifest whose checkpoint is being deleted: with it there is none, and
/// a pin may still bring it back.
inline constexpr std::string_view kDeletedSuffix = ".json.deleted";
/// A checkpoint that has a file of this name, of any content, is deleted by
/// nobody: it is pinned.
inline constexpr std::string_view kPinSuffix = ".pin";
/// Whether a file is one of the checkpoint `name`, other than its manifest and
/// its pin.
bool isDataOf(std::string_view file, std::string_view name);

} // namespace smp

#endif // SMP_SERIALIZATION_CHECKPOINTFILES_H
