// SPDX-License-Identifier: Apache-2.0
#include "DataFiles.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/Safetensors.h"
#include <set>

namespace smp {

/// Whether a file of tensors says so.
static bool saysToBeOf(const std::string &checkpoint, FileSystem &files,
                       const std::string &path) {
  const auto file = MappedFile::open(path, files);
  if (!file.ok())
    return false;
  const auto tensors = Safetensors::parse(file->bytes());
  if (!tensors.ok())
    return false;
  const auto owner = tensors->metadata().find(kOwnerOfFile);
  return owner != tensors->metadata().end() &&
         (owner->second == checkpoint ||
          owner->second == checkpoint + std::string(kAgain));
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
  std::vector<std::string> indices, silent;
  for (const std::string &name : names) {
    if (!isDataOf(name, checkpoint))
      continue;
    if (name.ends_with(kIndexSuffix))
      indices.push_back(name);
    else if (saysToBeOf(checkpoint, files, folder + "/" + name))
      found.ours.push_back(name);
    else
      silent.push_back(name);
  }
  if (!silent.empty()) { // As older versions of smp wrote them.
    const auto named = filesOfManifest(files, folder + "/" + checkpoint);
    for (std::string &name : silent)
      (named.count(name) ? found.ours : found.foreign)
          .push_back(std::move(name));
  }
  auto &whose = found.ours.empty() ? found.foreign : found.ours;
  whose.insert(whose.begin(), indices.begin(), indices.end());
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
