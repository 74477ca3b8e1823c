// SPDX-License-Identifier: Apache-2.0
#include "DataFiles.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/Safetensors.h"
#include "smp/serialization/SafetensorsIndex.h"
#include <algorithm>
#include <set>

namespace smp {

void DataFiles::add(const std::string &name) {
  ours.insert(name.ends_with(kIndexSuffix) ? ours.begin() : ours.end(), name);
}

static std::string_view textOf(const MappedFile &file) {
  return {reinterpret_cast<const char *>(file.bytes().data()),
          file.bytes().size()};
}

/// What a file of tensors, or their index, says whose it is; empty: nothing.
static std::string ownerOf(FileSystem &files, const std::string &path) {
  const auto file = MappedFile::open(path, files);
  if (!file.ok())
    return {};
  if (path.ends_with(kIndexSuffix))
    return ownerOfSafetensorsIndex(textOf(*file));
  const auto tensors = Safetensors::parse(file->bytes());
  if (!tensors.ok())
    return {};
  const auto owner = tensors->metadata().find(kOwnerOfFile);
  return owner == tensors->metadata().end() ? std::string() : owner->second;
}

static StatusOr<CheckpointManifest> readManifest(FileSystem &files,
                                                 const std::string &path) {
  SMP_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path, files));
  return parseCheckpointManifest(textOf(file));
}

bool isManifest(FileSystem &files, const std::string &path) {
  return readManifest(files, path).ok();
}

/// What the manifest says, which may be set aside, to be its or to have been
/// its predecessor's.
static std::set<std::string> filesOfManifest(FileSystem &files,
                                             const std::string &path) {
  std::set<std::string> names;
  for (const std::string_view suffix : {kManifestSuffix, kDeletedSuffix}) {
    const auto manifest = readManifest(files, path + std::string(suffix));
    if (!manifest.ok())
      continue;
    for (const CheckpointManifest::File &each : manifest->files)
      names.insert(each.name);
    names.insert(manifest->replaced.begin(), manifest->replaced.end());
  }
  return names;
}

/// Whether the file says itself that it is the checkpoint's.
static bool saysItIsOf(FileSystem &files, const std::string &path,
                       const std::string &checkpoint) {
  const std::string owner = ownerOf(files, path);
  return owner == checkpoint || owner == checkpoint + std::string(kAgain);
}

DataFiles findDataFiles(FileSystem &files, const std::string &folder,
                        const std::vector<std::string> &names,
                        const std::string &checkpoint,
                        const std::vector<std::string> &written) {
  DataFiles found;
  std::vector<std::string> unknown, indices; // Indices that do not say.
  for (const std::string &name : names) {
    if (!isDataOf(name, checkpoint))
      continue;
    if (std::ranges::find(written, name) == written.end())
      unknown.push_back(name);
    else
      found.add(name);
  }
  if (unknown.empty())
    return found;
  const auto named = filesOfManifest(files, folder + "/" + checkpoint);
  for (const std::string &name : unknown)
    if (named.count(name) || saysItIsOf(files, folder + "/" + name, checkpoint))
      found.add(name);
    else if (name.ends_with(kIndexSuffix)) // As older versions wrote them.
      indices.push_back(name);
    else
      found.foreign.push_back(name);
  const bool hasTensors = !found.ours.empty();
  for (const std::string &name : indices)
    if (hasTensors)
      found.add(name);
    else
      found.foreign.push_back(name);
  return found;
}

std::vector<std::string> silentOnes(FileSystem &files,
                                    const std::string &folder,
                                    std::vector<std::string> ours,
                                    const std::string &checkpoint) {
  std::erase_if(ours, [&](const std::string &name) {
    return saysItIsOf(files, folder + "/" + name, checkpoint);
  });
  return ours;
}

} // namespace smp
