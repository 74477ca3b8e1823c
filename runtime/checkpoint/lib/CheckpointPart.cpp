// SPDX-License-Identifier: Apache-2.0
#include "CheckpointPart.h"
#include "Shards.h"
#include "smp/base/Lists.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/CheckpointRoots.h"
#include "smp/serialization/Crc32c.h"
#include <algorithm>
#include <deque>

namespace smp {

//===----------------------------------------------------------------------===//
// Taking
//===----------------------------------------------------------------------===//

void CheckpointPart::take(SavedState &saved) {
  state = &saved;
  for (const Checkpoint::Root &root : saved.roots().roots())
    if (root.session())
      addVariables(root, saved);
    else
      addValue(root, saved);
}

void CheckpointPart::addVariables(const Checkpoint::Root &root,
                                  const SavedState &saved) {
  SessionCore &session = *root.session();
  const bool isModel = root.name() == kModelRoot;
  for (const KeyedVariable &variable : saved.variables(root)) {
    bytesOfRank[variable.rank] += uint64_t(variable.type.bytes());
    if (variable.rank != rank)
      continue;
    ShardableTensor &tensor =
        addTensor(isModel ? variable.variable : variable.key, variable.key,
                  variable.type, wholeOf(variable.type.shape),
                  saved.variable(session, taken[&session]++));
    if (variable.partition)
      tensor.device += ":partition:" + std::to_string(*variable.partition);
  }
  manifest.roots.push_back({.name = root.name(),
                            .program = session.fingerprint(),
                            .kinds = kindsOf(session),
                            .steps = saved.steps(session),
                            .kernelRevision = SMP_KERNEL_ABI_VERSION,
                            .devices = devicesOf(session, rank)});
}

/// `slice` is what `bytes` are of a tensor of the type.
ShardableTensor &CheckpointPart::addTensor(std::string saveSpec,
                                           std::string key,
                                           const TensorType &type,
                                           const TensorSlice &slice,
                                           std::span<const std::byte> bytes) {
  const std::string task = "/job:smp/replica:0/task:" + std::to_string(rank);
  ShardableTensor tensor;
  tensor.tensor = {type.dtype, slice.extent, slice,
                   task,       bytes.data(), rowMajorStrides(slice.extent)};
  for (int64_t &stride : tensor.tensor.strides)
    stride *= int64_t(sizeOf(type.dtype));
  tensor.dtype = type.dtype;
  tensor.device = task;
  tensor.name = key.substr(key.find('/') + 1);
  tensor.shape = type.shape;
  tensor.sliceSpec = specOf(slice, type.shape);
  tensor.trackable = rootOf(key);
  tensor.saveSpec = std::move(saveSpec);
  tensor.checkpointKey = std::move(key);
  return tensors.emplace_back(std::move(tensor));
}

static std::string digestOf(std::span<const std::byte> bytes) {
  return std::to_string(crc32c(bytes));
}

/// Rank 0 alone counts saves for all.
void CheckpointPart::addValue(const Checkpoint::Root &root,
                              const SavedState &saved) {
  const std::string &name = root.name();
  if (name == Checkpoint::kSaveCounter && rank != 0)
    return;
  if (root.sharded()) {
    const SavedSlices &value = saved.slices(name);
    inParts[name] = &value;
    layouts[name] = value.layoutText(); // Long: others get its digest.
    writers.add(name,
                digestOf(std::as_bytes(std::span(layouts[name]))) +
                    " of the layout of " + toString(value.type()),
                value.layout().mesh().localDeviceIds());
  } else if (root.hasData()) {
    const SavedValue &value = saved.value(name);
    values[name] = &value;
    writers.add(name, digestOf(value.bytes) + " of " +
                          toString({value.dtype, value.shape}));
  } else {
    addName(name, "");
  }
  for (const std::string &other : root.otherNames())
    addName(other, root.hasData() ? name : "");
}

void CheckpointPart::addName(const std::string &name, const std::string &key) {
  keys[name] = key;
  writers.add(name, key.empty() ? "without data" : "the value '" + key + "'");
}

uint64_t CheckpointPart::mostBytes() const {
  uint64_t most = 0;
  for (const auto &[rank, bytes] : bytesOfRank)
    most = std::max(most, bytes);
  return most;
}

//===----------------------------------------------------------------------===//
// Agreeing
//===----------------------------------------------------------------------===//

std::string CheckpointPart::describe() const {
  std::string text =
      join(manifest.roots, ", ", &CheckpointManifest::Root::name) + "\n";
  if (!manifest.roots.empty()) // The steps are those of the only Session.
    text += join(manifest.roots.back().steps, ", ");
  return text + "\n" + writers.describe();
}

/// Takes the first line off.
static std::string takeLine(std::string &text) {
  const size_t end = text.find('\n');
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

Status CheckpointPart::shareOut(std::vector<std::string> descriptions) {
  std::string roots, steps;
  for (uint32_t from = 0; from < descriptions.size(); ++from) {
    const std::string ownRoots = takeLine(descriptions[from]);
    const std::string ownSteps = takeLine(descriptions[from]);
    if (from == 0) {
      roots = ownRoots;
      steps = ownSteps;
    }
    const std::string who = "rank " + std::to_string(from);
    if (ownRoots != roots)
      return invalidArgument(who + " saves of its Session " + ownRoots +
                             ", and rank 0 " + roots +
                             "; give every rank the same Checkpoint");
    if (ownSteps != steps)
      return failedPrecondition(who + " has made " + ownSteps +
                                " steps by mode, and rank 0 " + steps +
                                "; restore a checkpoint on every rank");
  }
  SMP_RETURN_IF_ERROR(writers.shareOut(descriptions));
  for (const auto &[name, writer] : writers.all()) {
    if (const auto found = inParts.find(name); found != inParts.end())
      SMP_RETURN_IF_ERROR(addSlices(name, *found->second, writer));
    else if (writer.rank != rank)
      continue;
    else if (const auto value = values.find(name); value != values.end())
      addTensor(name, name, {value->second->dtype, value->second->shape},
                wholeOf(value->second->shape), value->second->bytes);
    else
      manifest.names.push_back({name, keys.at(name)});
  }
  return Status();
}

Status CheckpointPart::gather(RankGroup &group) {
  uint64_t bytes = 0;
  for (const auto &[rank, part] : bytesOfRank)
    bytes += part;
  bytesOfRank = {{group.first(), bytes}};
  return gatherTensors(tensors, group, received);
}

/// What the layout has devices of this rank write.
Status CheckpointPart::addSlices(const std::string &name,
                                 const SavedSlices &value,
                                 const ValueWriters::Writer &writer) {
  const TensorType &type = value.type();
  for (const SliceWriter &each : sliceWriters(value.layout(), type.shape)) {
    const auto owner = writer.rankOfDevice.find(each.deviceId);
    if (owner == writer.rankOfDevice.end())
      return failedPrecondition(
          "value '" + name + "' has a part on device " +
          std::to_string(each.deviceId) +
          " of its mesh, which is on no rank that saves; its devices are to be "
          "local ones of some rank's mesh");
    bytesOfRank[owner->second] +=
        uint64_t(TensorType{type.dtype, each.slice.extent}.bytes());
    if (owner->second == rank)
      addTensor(name, name, type, each.slice, *value.find(each.deviceId));
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Sharding
//===----------------------------------------------------------------------===//

StatusOr<ShardCounts> CheckpointPart::plan(const ShardingCallback &sharding) {
  SMP_ASSIGN_OR_RETURN(shards, divideIntoFiles(sharding, tensors));
  manifest.sharding = sharding.description();
  return ShardCounts{shards.model.size(), shards.state.size()};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

StatusOr<CheckpointManifest> CheckpointPart::write(const std::string &path,
                                                   FileSystem &files,
                                                   ShardCounts before,
                                                   ShardCounts total) {
  for (const ShardFile &file : shards.model)
    SMP_RETURN_IF_ERROR(writeFile(
        file, path, shardSuffix(kModelSuffix, before.model++, total.model),
        files));
  for (const ShardFile &file : shards.state)
    SMP_RETURN_IF_ERROR(writeFile(
        file, path, shardSuffix(kStateSuffix, before.state++, total.state),
        files));
  return std::move(manifest);
}

/// What is no run of the tensor's memory is copied here.
StatusOr<CheckpointPart::Bytes>
CheckpointPart::collect(const ShardableTensor &tensor, ShardTensor part,
                        std::vector<std::byte> &room) {
  if (isRowMajor(part))
    return bytesOf(part, room);
  const TensorType type{tensor.dtype, tensor.tensor.shape};
  SMP_ASSIGN_OR_RETURN(
      const Borrowed all,
      Borrowed::from(state, {tensor.tensor.bytes, size_t(type.bytes())}));
  part.bytes = all.bytes().data() + (part.bytes - tensor.tensor.bytes);
  return bytesOf(part, room);
}

/// Notes where variables lie in the file.
StatusOr<SafetensorsContent>
CheckpointPart::contentOf(const ShardFile &file, const std::string &checkpoint,
                          std::deque<std::vector<std::byte>> &rooms) {
  std::vector<SafetensorsTensor> tensors;
  const auto number = uint32_t(manifest.files.size());
  for (const ShardPart &shardPart : file) {
    const auto &[tensor, part] = shardPart;
    std::string name = shardPart.name();
    SMP_ASSIGN_OR_RETURN(const Bytes bytes,
                         collect(*tensor, part, rooms.emplace_back()));
    tensors.push_back({name, {part.dtype, part.shape}, bytes});
    const auto [item, isNew] =
        itemOfKey.emplace(tensor->checkpointKey, manifest.items.size());
    if (isNew)
      manifest.items.push_back({tensor->checkpointKey,
                                {tensor->dtype, tensor->shape},
                                {},
                                layouts[tensor->checkpointKey]});
    manifest.items[item->second].slices.push_back(
        {number, std::move(name), part.slice});
  }
  SMP_ASSIGN_OR_RETURN(
      SafetensorsContent content,
      SafetensorsContent::make(tensors, {{kOwnerOfFile, checkpoint}}));
  std::map<uint64_t, const std::byte *> placed;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].bytes.empty())
      placed[content.offsets()[i]] = tensors[i].bytes.data();
  for (const auto &[offset, bytes] : placed)
    state->noteOffset(bytes, offset);
  return content;
}

Status CheckpointPart::writeFile(const ShardFile &file, const std::string &path,
                                 const std::string &suffix, FileSystem &files) {
  const std::string checkpoint = path.substr(path.rfind('/') + 1);
  std::deque<std::vector<std::byte>> rooms;
  SMP_ASSIGN_OR_RETURN(const SafetensorsContent content,
                       contentOf(file, checkpoint, rooms));
  SMP_ASSIGN_OR_RETURN(FileDigest digest,
                       writeSafetensors(content, path + suffix, files, state));
  manifest.files.push_back({checkpoint + suffix, std::move(digest)});
  return Status();
}

} // namespace smp
