// SPDX-License-Identifier: Apache-2.0
#include "DataFiles.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/Safetensors.h"
#include "smp/serialization/SafetensorsIndex.h"
#include <set>

namespace smp {

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

DataFiles findDataFiles(FileSystem &files, const std::string &folder,
                        const std::vector<std::string> &names,
                        const std::string &checkpoint) {
  DataFiles found;
  std::vector<std::string> tensors, indices; // That do not say so themselves.
  for (const std::string &name : names) {
    if (!isDataOf(name, checkpoint))
      continue;
    const bool isIndex = name.ends_with(kIndexSuffix);
    const std::string owner = ownerOf(files, folder + "/" + name);
    if (owner == checkpoint || owner == checkpoint + std::string(kAgain))
      found.ours.insert(isIndex ? found.ours.begin() : found.ours.end(), name);
    else
      (isIndex ? indices : tensors).push_back(name);
  }
  if (tensors.empty() && indices.empty())
    return found;
  // As older versions of smp wrote them.
  const auto named = filesOfManifest(files, folder + "/" + checkpoint);
  for (const std::string &name : tensors)
    if (named.count(name))
      found.silent.push_back(name);
    else
      found.foreign.push_back(name);
  found.ours.insert(found.ours.end(), found.silent.begin(), found.silent.end());
  for (const std::string &name : indices)
    if (found.ours.empty() && !named.count(name)) {
      found.foreign.push_back(name);
    } else {
      found.silent.push_back(name);
      found.ours.insert(found.ours.begin(), name);
    }
  return found;
}

std::string_view targetOfTemporary(std::string_view name) {
  const size_t end = name.rfind(".tmp-");
  if (end == name.npos)
    return {};
  const std::string_view numbers = name.substr(end + 5);
  const size_t dash = numbers.find('-');
  const bool good =
      dash != 0 && dash < numbers.size() - 1 &&
      numbers.find_first_not_of("0123456789", dash + 1) == numbers.npos &&
      numbers.find_first_not_of("0123456789") == dash;
  return good ? name.substr(0, end) : std::string_view();
}

} // namespace smp
