// SPDX-License-Identifier: Apache-2.0
#include "DataFiles.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/Safetensors.h"
#include <set>

namespace smp {

/// Of the checkpoint that a file of tensors says that it is of; empty: of none.
static std::string ownerOf(FileSystem &files, const std::string &path) {
  const auto file = MappedFile::open(path, files);
  if (!file.ok())
    return {};
  const auto tensors = Safetensors::parse(file->bytes());
  if (!tensors.ok())
    return {};
  const auto owner = tensors->metadata().find(kOwnerOfFile);
  return owner == tensors->metadata().end() ? std::string() : owner->second;
}

/// Empty when there is no manifest, or it is none.
static std::set<std::string> filesOfManifest(FileSystem &files,
                                             const std::string &path) {
  std::set<std::string> names;
  const auto file =
      MappedFile::open(path + std::string(kManifestSuffix), files);
  if (!file.ok())
    return names;
  const auto manifest = parseCheckpointManifest(
      {reinterpret_cast<const char *>(file->bytes().data()),
       file->bytes().size()});
  if (manifest.ok())
    for (const CheckpointManifest::File &each : manifest->files)
      names.insert(each.name);
  return names;
}

DataFiles findDataFiles(FileSystem &files, const std::string &folder,
                        const std::vector<std::string> &names,
                        const std::string &checkpoint) {
  DataFiles found;
  const std::string index = checkpoint + std::string(kIndexSuffix);
  bool hasIndex = false;
  std::vector<std::string> silent;
  for (const std::string &name : names) {
    if (name == index)
      hasIndex = true;
    else if (isDataOf(name, checkpoint))
      (ownerOf(files, folder + "/" + name) == checkpoint ? found.ours : silent)
          .push_back(name);
  }
  if (!silent.empty()) { // As older versions of smp wrote them.
    const auto named = filesOfManifest(files, folder + "/" + checkpoint);
    for (std::string &name : silent)
      (named.count(name) ? found.ours : found.foreign)
          .push_back(std::move(name));
  }
  if (hasIndex && found.ours.empty())
    found.foreign.push_back(index);
  else if (hasIndex)
    found.ours.insert(found.ours.begin(), index);
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
