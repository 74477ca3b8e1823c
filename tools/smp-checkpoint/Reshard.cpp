// SPDX-License-Identifier: Apache-2.0
#include "Reshard.h"
#include "Latest.h"
#include "WriteCheckpoint.h"
#include "smp/base/MakeFolders.h"
#include "smp/serialization/CheckpointReader.h"

namespace smp {

/// What files call the tensor: "w" where slices are "w[0,4:2,3]".
static std::string saveSpecOf(const CheckpointManifest::Item &item) {
  const CheckpointManifest::Slice &slice = item.slices.front();
  std::string name = slice.tensor;
  const std::string end = "[" + toString(slice.box) + "]";
  if (!(slice.box == wholeOf(item.type.shape)) && name.ends_with(end))
    name.resize(name.size() - end.size());
  return name;
}

StatusOr<WrittenCheckpoint> reshardCheckpoint(const std::string &from,
                                              const std::string &to,
                                              const ShardingCallback &sharding,
                                              Watch &watch, FileSystem &files) {
  SMP_ASSIGN_OR_RETURN(const CheckpointFormat format, findFormat(from));
  if (format != CheckpointFormat::Smp)
    return invalidArgument("'" + from +
                           "' is a bundle of TensorFlow; smp-checkpoint "
                           "convert makes a checkpoint of smp of it");
  SMP_RETURN_IF_ERROR(checkPrefix(to));
  SMP_ASSIGN_OR_RETURN(
      CheckpointReader reader,
      CheckpointReader::open(from, FileSystem::uncachedDisk()));
  CheckpointToWrite written{reader.manifest(), {}, {}};
  written.manifest.files.clear();
  written.manifest.replaced.clear();
  WrittenCheckpoint told{to, CheckpointFormat::Smp, {}};
  const auto &items = reader.manifest().items;
  for (size_t i = 0; i < items.size(); ++i) {
    const CheckpointManifest::Item &item = items[i];
    written.manifest.items[i].slices.clear();
    written.tensors.push_back(
        {item.key, item.type, [&](const auto &box, auto bytes) {
           return reader.read(item, box, bytes);
         }});
    written.saveSpecs.push_back(saveSpecOf(item));
    ++told.tensorsByRoot[std::string(rootOf(item.key))];
  }
  told.bytes = totalBytes(written.tensors);
  SMP_RETURN_IF_ERROR(makeFolders(files, parentFolder(to)));
  SMP_RETURN_IF_ERROR(
      writeCheckpoint(std::move(written), sharding, to, watch, files));
  SMP_ASSIGN_OR_RETURN(told.isLatest, nameLatest(to));
  return told;
}

} // namespace smp
