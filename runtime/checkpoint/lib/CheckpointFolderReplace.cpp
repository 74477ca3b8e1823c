// SPDX-License-Identifier: Apache-2.0
// A checkpoint in the place of another one of its name. The files of the new
// one have other names than those of the old one, so that there is either of
// them until a rename puts the one manifest in the place of the other, and the
// one that lasts has its files.
#include "CheckpointFolder.h"
#include "DataFiles.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointReader.h"
#include <algorithm>

namespace smp {

static std::string again(const std::string &name) {
  return name + std::string(kAgain);
}

/// Whether it has a manifest, whoever wrote that and when.
bool CheckpointFolder::isThere(const std::string &name) const {
  return isFile(name + std::string(kManifestSuffix));
}

StatusOr<CheckpointRoom>
CheckpointFolder::roomInPlaceOf(const std::string &name) {
  SMP_RETURN_IF_ERROR(checkReplaceable(name));
  SMP_RETURN_IF_ERROR(removeReplaced(name));
  SMP_ASSIGN_OR_RETURN(const std::string files, filesOf(name));
  SMP_ASSIGN_OR_RETURN(const auto all, listFiles());
  auto ours = findDataFiles(fileSystem, directory, all, name).ours;
  return CheckpointRoom{name, files == name ? again(name) : name,
                        /*isReplaced=*/true,
                        silentOnes(fileSystem, directory, ours, name)};
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

/// Files of `name`, of all of these, that its manifest does not have.
StatusOr<std::vector<std::string>>
CheckpointFolder::replacedFiles(const std::string &name,
                                const std::vector<std::string> &files) const {
  const auto isAgain = [&](const std::string &file) {
    return file.starts_with(again(name) + ".");
  };
  const auto isData = [&](const std::string &file) {
    return isDataOf(file, name);
  };
  std::vector<std::string> data;
  std::ranges::copy_if(files, std::back_inserter(data), isData);
  if (std::ranges::all_of(data, isAgain) || std::ranges::none_of(data, isAgain))
    return std::vector<std::string>(); // There has been one only.
  SMP_ASSIGN_OR_RETURN(const std::string mine, filesOf(name));
  auto found = findDataFiles(fileSystem, directory, data, name).ours;
  std::erase_if(found, [&](const std::string &file) {
    return isAgain(file) == (mine != name);
  });
  return found;
}

/// Removes files of `name` that its manifest does not have. Before that it is
/// made to last: the manifest that it had before may have them.
Status CheckpointFolder::removeReplaced(const std::string &name) {
  SMP_RETURN_IF_ERROR(sync());
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  SMP_ASSIGN_OR_RETURN(const auto replaced, replacedFiles(name, files));
  for (const std::string &file : replaced)
    SMP_RETURN_IF_ERROR(removeFile(file));
  return Status();
}

Status CheckpointFolder::giveUp(const CheckpointRoom &room) {
  if (room.isReplaced)
    return removeReplaced(room.name);
  std::vector<std::string> names{room.name};
  return remove(names);
}

} // namespace smp
