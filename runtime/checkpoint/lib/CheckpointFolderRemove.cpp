// SPDX-License-Identifier: Apache-2.0
// How checkpoints go: their manifests first, in two steps. Set aside, a
// manifest is none, and who pins may still bring it back; who takes the file
// away has decided. So a pin that is set at this very time is kept, or the
// checkpoint was gone before; no lock is needed, and what is killed in between
// is gone on with.
#include "CheckpointFolder.h"
#include "DataFiles.h"
#include "smp/base/AtomicFile.h"
#include "smp/base/MakeFolders.h"
#include "smp/serialization/CheckpointFiles.h"
#include <algorithm>
#include <cerrno>

namespace smp {

Status CheckpointFolder::sync() {
  const int error = fileSystem.syncFolder(directory);
  isPrepared &= error == 0; // What was done in it may come undone.
  return failedTo("sync the folder", directory, error);
}

Status CheckpointFolder::removeFile(const std::string &file) {
  const int error = fileSystem.remove(pathOf(file));
  return failedTo("delete", pathOf(file), error == ENOENT ? 0 : error);
}

//===----------------------------------------------------------------------===//
// Deleting
//===----------------------------------------------------------------------===//

/// Sets the manifest aside, if there is one.
Status CheckpointFolder::setAside(const std::string &name) {
  const std::string aside = name + std::string(kDeletedSuffix);
  if (isFile(aside) && !isManifest(fileSystem, pathOf(aside)))
    return failedPrecondition("'" + pathOf(aside) +
                              "' is in the way, and no manager wrote it; move "
                              "it away");
  const std::string manifest = pathOf(name) + std::string(kManifestSuffix);
  const int error = fileSystem.rename(manifest, pathOf(aside));
  return failedTo("delete", manifest, error == ENOENT ? 0 : error);
}

/// Takes away what was set aside; false: it is pinned, and back.
StatusOr<bool> CheckpointFolder::decide(const std::string &name) {
  const std::string aside = pathOf(name) + std::string(kDeletedSuffix);
  const int error =
      isPinned(name) ? fileSystem.rename(
                           aside, pathOf(name) + std::string(kManifestSuffix))
                     : fileSystem.remove(aside);
  SMP_RETURN_IF_ERROR(failedTo("delete", aside, error == ENOENT ? 0 : error));
  return !isThere(name);
}

Status CheckpointFolder::remove(std::vector<std::string> &names) {
  const bool hadManifest =
      std::ranges::any_of(names, [this](const std::string &name) {
        return isThere(name) || isFile(name + std::string(kDeletedSuffix));
      });
  for (const std::string &name : names)
    SMP_RETURN_IF_ERROR(setAside(name));
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  std::vector<std::string> data, gone;
  for (const std::string &name : names) {
    const auto listed = find(name);
    auto found = findDataFiles(fileSystem, directory, files, name,
                               listed == kept.end() ? std::vector<std::string>()
                                                    : listed->written);
    SMP_ASSIGN_OR_RETURN(const bool isGone, decide(name));
    if (!isGone)
      continue;
    gone.push_back(name);
    std::ranges::move(found.ours, std::back_inserter(data));
  }
  names = std::move(gone);
  if (hadManifest)
    SMP_RETURN_IF_ERROR(sync());
  for (const std::string &file : data)
    SMP_RETURN_IF_ERROR(removeFile(file));
  return Status();
}

//===----------------------------------------------------------------------===//
// What was killed
//===----------------------------------------------------------------------===//

/// "ckpt-3" of "ckpt-3.json"; nothing when it is of no number of ours.
std::optional<std::string>
CheckpointFolder::nameOfFile(std::string_view file) const {
  std::string name(file.substr(0, file.find('.', prefix.size())));
  return numberOf(name) ? std::optional(std::move(name)) : std::nullopt;
}

Status CheckpointFolder::bringBackPinned() {
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  bool isOne = false;
  for (const std::string &file : files) {
    const auto name = nameOfFile(file);
    if (!name || file != *name + std::string(kDeletedSuffix) ||
        !isPinned(*name) || isThere(*name) ||
        !isManifest(fileSystem, pathOf(file)))
      continue;
    isOne = true;
    SMP_RETURN_IF_ERROR(decide(*name).status());
  }
  if (!isOne)
    return Status();
  SMP_RETURN_IF_ERROR(sync());
  return open(saysNothing);
}

/// Those that a killed AtomicFile of ours left. Managers of other names may be
/// writing the file `checkpoint`.
std::vector<std::string>
CheckpointFolder::temporaries(const std::vector<std::string> &files) const {
  const bool isAlone =
      std::none_of(files.begin(), files.end(), [&](const std::string &file) {
        return file.ends_with(kLockSuffix) && file != lockName();
      });
  std::vector<std::string> found;
  for (const std::string &file : files) {
    const std::string_view target = targetOfTemporary(file);
    const auto name = nameOfFile(target);
    const bool isOurs =
        name && (isDataOf(target, *name) ||
                 target == *name + std::string(kManifestSuffix) ||
                 target == *name + std::string(kPinSuffix));
    if (isOurs || (target == "checkpoint" && isAlone))
      found.push_back(file);
  }
  return found;
}

/// What the file `checkpoint` lists is left to who takes over, and what is
/// pinned to its owner.
bool CheckpointFolder::isDead(const std::string &name) const {
  return !isThere(name) && !isPinned(name) &&
         (hasTakenOver || std::ranges::find(gone, name) == gone.end());
}

StatusOr<CheckpointFolder::Leftovers> CheckpointFolder::leftovers() const {
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  std::set<std::string> names;
  for (const std::string &file : files)
    if (const auto name = nameOfFile(file);
        name &&
        (isDataOf(file, *name) || file == *name + std::string(kDeletedSuffix)))
      names.insert(*name);
  Leftovers left;
  for (const std::string &name : names) {
    const bool isHere = isThere(name);
    if (!isHere && !isDead(name))
      continue;
    if (const std::string aside = name + std::string(kDeletedSuffix);
        isManifest(fileSystem, pathOf(aside)))
      left.manifests.push_back(aside);
    auto data = isHere ? replacedFiles(name, files)
                       : findDataFiles(fileSystem, directory, files, name).ours;
    if (data.ok()) // Else nobody knows what it needs.
      std::ranges::move(*data, std::back_inserter(left.data));
  }
  std::ranges::move(temporaries(files), std::back_inserter(left.data));
  return left;
}

/// What has no manifest now may have one after a power cut, if its folder is
/// not synced.
Status CheckpointFolder::tidy() {
  SMP_ASSIGN_OR_RETURN(const Leftovers left, leftovers());
  if (!left.manifests.empty() || !left.data.empty())
    SMP_RETURN_IF_ERROR(sync());
  for (const std::string &file : left.manifests)
    SMP_RETURN_IF_ERROR(removeFile(file));
  if (!left.manifests.empty())
    SMP_RETURN_IF_ERROR(sync());
  for (const std::string &file : left.data)
    SMP_RETURN_IF_ERROR(removeFile(file));
  if (hasTakenOver)
    gone.clear();
  return Status();
}

} // namespace smp
