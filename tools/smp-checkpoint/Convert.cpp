// SPDX-License-Identifier: Apache-2.0
#include "Convert.h"
#include "Latest.h"
#include "WriteCheckpoint.h"
#include "smp/base/MakeFolders.h"
#include "smp/serialization/CheckpointRoots.h"
#include "smp/serialization/WeightsPath.h"
#include "smp/tools/ObjectGraph.h"
#include "smp/tools/TensorBundle.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <set>

namespace smp {

/// What tf.train.Checkpoint counts its saves with, and looks for.
static constexpr const char *kSaveCounter = "save_counter";

/// The 3 of "run/ckpt-3"; 0 when it has no number.
static int64_t numberOf(const std::string &prefix) {
  const std::string name = prefix.substr(prefix.rfind('/') + 1);
  const size_t dash = name.rfind('-');
  int64_t number = 0;
  if (dash != name.npos)
    std::from_chars(name.data() + dash + 1, name.data() + name.size(), number);
  return std::max(number, int64_t(0));
}

static NamedTensor saveCounter(int64_t count) {
  return {kSaveCounter,
          {DType::I64, {}},
          [count](const TensorSlice &, std::span<std::byte> bytes) {
            std::memcpy(bytes.data(), &count, sizeof(count));
            return Status();
          }};
}

static Status writeBundle(std::vector<NamedTensor> tensors,
                          const ConvertOptions &options, Watch &watch) {
  if (!std::ranges::count(tensors, kSaveCounter, &NamedTensor::name))
    tensors.push_back(saveCounter(numberOf(options.from)));
  std::vector<TensorToBundle> list;
  std::vector<std::string> paths;
  for (const NamedTensor &tensor : tensors) {
    list.push_back({keyOfPath(tensor.name),
                    tensor.type,
                    {},
                    {},
                    bytesOf(tensor, wholeOf(tensor.type.shape), watch)});
    paths.push_back(tensor.name);
  }
  list.push_back(
      {std::string(kObjectGraphKey), {}, {}, formatObjectGraph(paths)});
  return writeTensorBundle(list, options.to, FileSystem::uncachedDisk());
}

/// What was trained, and by how many steps, a bundle does not say.
static Status writeOurs(std::vector<NamedTensor> tensors,
                        const ConvertOptions &options, Watch &watch) {
  using Seconds = std::chrono::duration<double>;
  CheckpointToWrite written;
  written.manifest.time =
      Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
  std::set<std::string_view> roots;
  for (const NamedTensor &tensor : tensors) {
    const std::string_view root = rootOf(tensor.name);
    const bool isVariable =
        root.size() < tensor.name.size() && findRootKind(root);
    if (isVariable && roots.insert(root).second)
      written.manifest.roots.push_back(
          {std::string(root), 0, "TensorFlow", {}});
    written.manifest.items.push_back({tensor.name, tensor.type, {}});
    written.saveSpecs.push_back(isVariable && root == kModelRoot
                                    ? tensor.name.substr(root.size() + 1)
                                    : tensor.name);
  }
  written.tensors = std::move(tensors);
  return writeCheckpoint(std::move(written), ShardByTaskPolicy(), options.to,
                         watch);
}

StatusOr<WrittenCheckpoint> convertCheckpoint(const ConvertOptions &options,
                                              Watch &watch) {
  SMP_ASSIGN_OR_RETURN(const CheckpointFormat format, findFormat(options.from));
  const bool isOurs = format == CheckpointFormat::Smp;
  SMP_RETURN_IF_ERROR(refusePickle(options.to));
  SMP_RETURN_IF_ERROR(checkPrefix(options.to));
  Renames renames(options.root);
  if (!options.rename.empty())
    SMP_RETURN_IF_ERROR(renames.read(options.rename));
  SMP_ASSIGN_OR_RETURN(const auto source,
                       StoredTensors::open(options.from, options.names));
  SMP_ASSIGN_OR_RETURN(auto tensors,
                       nameTensors(*source, options.from, renames));
  SMP_RETURN_IF_ERROR(renames.checkUsed());
  WrittenCheckpoint written{options.to,
                            isOurs ? CheckpointFormat::TensorFlow
                                   : CheckpointFormat::Smp,
                            {},
                            totalBytes(tensors)};
  for (const NamedTensor &tensor : tensors)
    ++written.tensorsByRoot[std::string(rootOf(tensor.name))];
  SMP_RETURN_IF_ERROR(
      makeFolders(FileSystem::disk(), parentFolder(options.to)));
  watch.begin(written.bytes);
  SMP_RETURN_IF_ERROR(isOurs ? writeBundle(std::move(tensors), options, watch)
                             : writeOurs(std::move(tensors), options, watch));
  SMP_ASSIGN_OR_RETURN(written.isLatest, nameLatest(options.to));
  return written;
}

} // namespace smp
