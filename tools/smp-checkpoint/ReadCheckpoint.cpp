// SPDX-License-Identifier: Apache-2.0
#include "NamedTensors.h"
#include "smp/serialization/CheckpointReader.h"

namespace smp {

StatusOr<NamedTensors> readCheckpoint(const std::string &prefix,
                                      Renames &renames) {
  SMP_ASSIGN_OR_RETURN(
      CheckpointReader opened,
      CheckpointReader::open(prefix, FileSystem::uncachedDisk()));
  const auto reader = std::make_shared<CheckpointReader>(std::move(opened));
  NamedTensors result;
  result.owners.push_back(reader);
  for (const CheckpointManifest::Item &item : reader->manifest().items)
    if (const auto name = renames.apply(item.key)) {
      SMP_ASSIGN_OR_RETURN(const auto bytes, reader->read(item));
      result.tensors.push_back({*name, item.type, bytes});
    }
  return result;
}

} // namespace smp
