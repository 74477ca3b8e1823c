// SPDX-License-Identifier: Apache-2.0
#include "WriteCheckpoint.h"
#include "NameLock.h"
#include "smp/base/AtomicFile.h"
#include "smp/checkpoint/ShardFiles.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointRoots.h"
#include "smp/serialization/Safetensors.h"
#include "smp/serialization/SafetensorsIndex.h"
#include <algorithm>
#include <cstring>

namespace smp {

namespace {

class CheckpointWriting {
public:
  CheckpointWriting(CheckpointToWrite &checkpoint, const std::string &prefix,
                    Watch &watch, FileSystem &files)
      : tensors(checkpoint.tensors), manifest(checkpoint.manifest),
        prefix(prefix), folder(parentFolder(prefix)),
        name(prefix.substr(prefix.rfind('/') + 1)), watch(watch), files(files) {
    for (size_t i = 0; i < tensors.size(); ++i)
      addShardable(tensors[i], std::move(checkpoint.saveSpecs[i]));
  }

  /// Whatever there is of it.
  Status checkRoom() const {
    std::vector<std::string> names;
    if (const int error = files.list(folder, names))
      return unavailable("cannot list '" + folder +
                         "': " + std::strerror(error));
    std::sort(names.begin(), names.end());
    for (const std::string &file : names)
      if (file == name + std::string(kManifestSuffix) || isDataOf(file, name))
        return failedPrecondition("'" + folder + "/" + file +
                                  "' is there already; remove that checkpoint, "
                                  "or give another name");
    return Status();
  }

  Status write(const ShardingCallback &sharding) {
    SMP_ASSIGN_OR_RETURN(const ShardFiles shards,
                         divideIntoFiles(sharding, shardables));
    manifest.sharding = sharding.description();
    watch.begin(totalBytes(tensors));
    Status written = writeAll(kModelSuffix, shards.model);
    if (written.ok())
      written = writeAll(kStateSuffix, shards.state);
    if (written.ok())
      written = complete();
    uint64_t ignored = 0;
    if (!written.ok() &&
        files.size(prefix + std::string(kManifestSuffix), ignored) != 0)
      for (const std::string &path : paths)
        (void)files.remove(path);
    return written;
  }

private:
  /// Its bytes are not looked at by policies.
  void addShardable(const NamedTensor &tensor, std::string saveSpec) {
    const auto &[dtype, shape] = tensor.type;
    const std::string task = "/job:smp/replica:0/task:0",
                      root(rootOf(tensor.name));
    ShardableTensor shardable;
    shardable.tensor = {dtype, shape,   wholeOf(shape),
                        task,  nullptr, rowMajorStrides(shape)};
    for (int64_t &stride : shardable.tensor.strides)
      stride *= int64_t(sizeOf(dtype));
    shardable.saveSpec = std::move(saveSpec);
    shardable.dtype = dtype;
    shardable.device = task;
    shardable.name = tensor.name.substr(tensor.name.find('/') + 1);
    shardable.shape = shape;
    shardable.checkpointKey = tensor.name;
    shardable.trackable = root == tensor.name ? std::string() : root;
    shardables.push_back(std::move(shardable));
  }

  Status writeAll(std::string_view suffix,
                  const std::vector<ShardFile> &shards) {
    for (size_t i = 0; i < shards.size(); ++i)
      SMP_RETURN_IF_ERROR(writeShard(
          shards[i], prefix + shardSuffix(suffix, i, shards.size())));
    return Status();
  }

  Status writeShard(const ShardFile &shard, const std::string &path) {
    std::vector<SafetensorsSource> sources;
    const auto number = uint32_t(manifest.files.size());
    for (const ShardPart &part : shard) {
      const auto index = size_t(part.tensor - shardables.data());
      const TensorSlice &box = part.part.slice;
      sources.push_back({part.name(),
                         {part.part.dtype, part.part.shape},
                         bytesOf(tensors[index], box, watch)});
      manifest.items[index].slices.push_back({number, part.name(), box});
    }
    paths.push_back(path);
    SMP_ASSIGN_OR_RETURN(
        FileDigest digest,
        writeSafetensors(sources, {{kOwnerOfFile, name}}, path, files));
    manifest.files.push_back(
        {path.substr(path.rfind('/') + 1), std::move(digest)});
    return Status();
  }

  Status complete() {
    if (const auto index = formatSafetensorsIndex(manifest, name)) {
      paths.push_back(prefix + std::string(kIndexSuffix));
      SMP_RETURN_IF_ERROR(writeFile(paths.back(), *index, files));
    }
    const std::string text = formatCheckpointManifest(manifest);
    SMP_RETURN_IF_ERROR(parseCheckpointManifest(text).status());
    return writeFile(prefix + std::string(kManifestSuffix), text, files);
  }

  const std::vector<NamedTensor> &tensors;
  CheckpointManifest &manifest;
  const std::string &prefix;
  const std::string folder, name;
  Watch &watch;
  FileSystem &files;
  std::vector<ShardableTensor> shardables; // By tensor.
  std::vector<std::string> paths;          // That may be there.
};

} // namespace

Status writeCheckpoint(CheckpointToWrite checkpoint,
                       const ShardingCallback &sharding,
                       const std::string &prefix, Watch &watch,
                       FileSystem &files) {
  NameLock lock(files);
  SMP_RETURN_IF_ERROR(lock.take(prefix));
  CheckpointWriting writing(checkpoint, prefix, watch, files);
  SMP_RETURN_IF_ERROR(writing.checkRoom());
  return writing.write(sharding);
}

} // namespace smp
