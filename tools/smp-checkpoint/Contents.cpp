// SPDX-License-Identifier: Apache-2.0
#include "Contents.h"
#include "BundleNaming.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointReader.h"
#include "smp/serialization/CheckpointState.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

namespace smp {

static constexpr std::string_view kIndexOfBundle = ".index";

uint64_t CheckpointContents::bytes() const {
  uint64_t sum = 0;
  for (const TensorEntry &tensor : tensors)
    sum += tensor.bytes;
  return sum;
}

//===----------------------------------------------------------------------===//
// One checkpoint
//===----------------------------------------------------------------------===//

StatusOr<CheckpointContents> readContents(const std::string &prefix) {
  SMP_ASSIGN_OR_RETURN(const CheckpointFormat format, findFormat(prefix));
  SMP_ASSIGN_OR_RETURN(const auto source, StoredTensors::open(prefix));
  return CheckpointContents{format, source->tensors()};
}

static Status verifyBundle(const std::string &prefix, Watch &watch) {
  SMP_ASSIGN_OR_RETURN(const TensorBundle bundle, TensorBundle::open(prefix));
  SMP_RETURN_IF_ERROR(BundleNaming::read(bundle, prefix).status());
  uint64_t total = 0;
  for (const BundleTensor &tensor : bundle.tensors())
    total += tensor.bytes;
  watch.begin(total);
  for (const BundleTensor &tensor : bundle.tensors()) {
    SMP_RETURN_IF_ERROR(bundle.check(tensor));
    SMP_RETURN_IF_ERROR(watch.advance(tensor.bytes, prefix));
  }
  return Status();
}

Status verifyCheckpoint(const std::string &prefix, Watch &watch) {
  SMP_ASSIGN_OR_RETURN(const CheckpointFormat format, findFormat(prefix));
  if (format == CheckpointFormat::TensorFlow)
    return verifyBundle(prefix, watch);
  SMP_ASSIGN_OR_RETURN(
      CheckpointReader reader,
      CheckpointReader::open(prefix, FileSystem::uncachedDisk()));
  uint64_t total = 0;
  for (const CheckpointManifest::File &file : reader.manifest().files)
    total += file.digest.size;
  watch.begin(total);
  return reader.verify(
      [&](uint64_t bytes) { return watch.advance(bytes, prefix); });
}

//===----------------------------------------------------------------------===//
// A folder
//===----------------------------------------------------------------------===//

/// Shorter numbers first: "ckpt-9" is before "ckpt-10".
static bool isBefore(const std::string &one, const std::string &other) {
  auto keyOf = [](const std::string &name) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::string number = name.substr(std::min(digits, name.size()));
    return std::tuple(name.substr(0, name.size() - number.size()),
                      number.size(), number);
  };
  return keyOf(one) < keyOf(other);
}

/// What the files of checkpoints begin with, among these.
static std::set<std::string> prefixesOf(const std::vector<std::string> &files) {
  std::set<std::string> prefixes;
  for (const std::string &file : files)
    if (file.ends_with(kIndexOfBundle)) {
      prefixes.insert(file.substr(0, file.size() - kIndexOfBundle.size()));
    } else if (file.ends_with(kManifestSuffix)) {
      const std::string name =
          file.substr(0, file.size() - kManifestSuffix.size());
      if (std::ranges::any_of(files, [&](const std::string &other) {
            return isDataOf(other, name);
          }))
        prefixes.insert(name);
    }
  return prefixes;
}

StatusOr<CheckpointList> listCheckpoints(const std::string &folder) {
  std::vector<std::string> files;
  if (const int error = FileSystem::disk().list(folder, files))
    return unavailable("cannot list '" + folder + "': " + std::strerror(error));
  CheckpointList list;
  const std::string path = folder + "/checkpoint";
  if (std::ranges::count(files, "checkpoint")) {
    SMP_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path));
    SMP_ASSIGN_OR_RETURN(const CheckpointState state,
                         parseCheckpointState({reinterpret_cast<const char *>(
                                                   file.bytes().data()),
                                               file.bytes().size()})
                             .in(path));
    list.latest = state.latest;
  }
  for (const std::string &name : prefixesOf(files))
    list.checkpoints.push_back({name, readContents(folder + "/" + name)});
  std::ranges::sort(list.checkpoints, [](const auto &one, const auto &other) {
    return isBefore(one.name, other.name);
  });
  return list;
}

} // namespace smp
