// SPDX-License-Identifier: Apache-2.0
#include "Sources.h"
#include "smp/serialization/CheckpointReader.h"

namespace smp {

namespace {

class CheckpointSource : public StoredTensors {
public:
  explicit CheckpointSource(CheckpointReader opened)
      : reader(std::move(opened)) {
    for (const CheckpointManifest::Item &item : items())
      entries.push_back({item.key,
                         {},
                         std::string(toString(item.type.dtype)),
                         item.type.shape,
                         uint64_t(item.type.bytes())});
  }

  StatusOr<std::optional<TensorType>> typeOf(size_t tensor) override {
    return std::optional(items()[tensor].type);
  }

  Status read(size_t tensor, const TensorSlice &box,
              std::span<std::byte> bytes) override {
    return reader.read(items()[tensor], box, bytes);
  }

private:
  const std::vector<CheckpointManifest::Item> &items() const {
    return reader.manifest().items;
  }

  CheckpointReader reader;
};

} // namespace

StatusOr<std::unique_ptr<StoredTensors>>
openCheckpoint(const std::string &prefix) {
  SMP_ASSIGN_OR_RETURN(
      CheckpointReader reader,
      CheckpointReader::open(prefix, FileSystem::uncachedDisk()));
  return std::unique_ptr<StoredTensors>(
      std::make_unique<CheckpointSource>(std::move(reader)));
}

} // namespace smp
