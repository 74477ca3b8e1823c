// SPDX-License-Identifier: Apache-2.0
// A checkpoint in the place of another one of its name. The files of the new
// one have other names than those of the old one, so that there is either of
// them until a rename puts the one manifest in the place of the other, and the
// one that lasts has its files.
#include "CheckpointFolder.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointReader.h"

namespace smp {

static std::string again(const std::string &name) {
  return name + std::string(kAgain);
}

/// Whether it has a manifest, whoever wrote that and when.
bool CheckpointFolder::isThere(const std::string &name) const {
  uint64_t ignored;
  return fileSystem.size(pathOf(name) + std::string(kManifestSuffix),
                         ignored) == 0;
}

StatusOr<CheckpointRoom>
CheckpointFolder::roomInPlaceOf(const std::string &name) {
  SMP_RETURN_IF_ERROR(checkReplaceable(name));
  SMP_RETURN_IF_ERROR(removeReplaced(name));
  SMP_ASSIGN_OR_RETURN(const std::string files, filesOf(name));
  return CheckpointRoom{name, files == name ? again(name) : name,
                        /*isReplaced=*/true};
}

Status CheckpointFolder::checkReplaceable(const std::string &name) {
  const auto at = find(name);
  const KeepReason reason = isPinned(name)     ? KeepReason::Pinned
                            : at == kept.end() ? KeepReason::NotListed
                                               : reasonOf(at->whose);
  if (reason == KeepReason::None)
    return Status();
  return failedPrecondition("'" + pathOf(name) +
                            "' is there and stays: " + toString(reason, {}) +
                            "; restore first, unpin or remove it, or give "
                            "another number");
}

/// What its files of tensors begin with.
StatusOr<std::string> CheckpointFolder::filesOf(const std::string &name) const {
  auto reader = CheckpointReader::open(pathOf(name), fileSystem);
  if (!reader.ok() && reader.status().code() != StatusCode::Unavailable)
    return Status(reader.status().code(), // No manifest that we know.
                  reader.status().message() +
                      "; remove it, or give another number");
  if (reader.ok())
    for (const CheckpointManifest::File &file : reader->manifest().files)
      if (file.name.starts_with(again(name) + "."))
        return again(name);
  return name;
}

/// Removes files of `name` that its manifest does not have. Before that it is
/// made to last: the manifest that it had before may have them.
Status CheckpointFolder::removeReplaced(const std::string &name) {
  SMP_RETURN_IF_ERROR(sync());
  SMP_ASSIGN_OR_RETURN(const std::string mine, filesOf(name));
  std::vector<std::string> files;
  (void)fileSystem.list(directory, files); // None: nothing is removed.
  for (const std::string &file : files)
    if (isDataOf(file, name) &&
        file.starts_with(again(name) + ".") != (mine != name))
      SMP_RETURN_IF_ERROR(removeFile(file));
  return Status();
}

Status CheckpointFolder::giveUp(const CheckpointRoom &room) {
  return room.isReplaced ? removeReplaced(room.name) : remove({room.name});
}

} // namespace smp
