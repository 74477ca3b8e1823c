// SPDX-License-Identifier: Apache-2.0
#include "CheckpointPart.h"
#include "smp/base/Lists.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/CheckpointRoots.h"
#include "smp/serialization/Crc32c.h"
#include <algorithm>
#include <cstring>
#include <deque>
#include <sstream>

namespace smp {

//===----------------------------------------------------------------------===//
// Taking
//===----------------------------------------------------------------------===//

Status CheckpointPart::take(const SavedState &saved) {
  for (const Checkpoint::Root &root : saved.roots().roots())
    if (root.session())
      SMP_RETURN_IF_ERROR(addVariables(root, saved));
    else
      addValue(root.name(), saved.value(root.name()));
  return Status();
}

Status CheckpointPart::addVariables(const Checkpoint::Root &root,
                                    const SavedState &saved) {
  SessionCore &session = *root.session();
  SMP_ASSIGN_OR_RETURN(std::vector<KeyedVariable> variables, variablesOf(root));
  const bool isModel = root.name() == kModelRoot;
  for (KeyedVariable &variable : variables) {
    bytesOfRank[variable.rank] += uint64_t(variable.type.bytes());
    if (variable.rank == rank)
      addTensor(isModel ? variable.variable : variable.key, variable.key,
                variable.type, saved.variable(session, taken[&session]++),
                variable.partition);
  }
  manifest.roots.push_back({.name = root.name(),
                            .program = session.fingerprint(),
                            .kinds = kindsOf(session),
                            .steps = saved.steps(session),
                            .kernelRevision = SMP_KERNEL_ABI_VERSION,
                            .devices = devicesOf(session, rank)});
  return Status();
}

void CheckpointPart::addTensor(std::string saveSpec, std::string key,
                               const TensorType &type,
                               std::span<const std::byte> bytes,
                               std::optional<uint32_t> partition) {
  const std::string task = "/job:smp/replica:0/task:" + std::to_string(rank);
  ShardableTensor tensor;
  tensor.tensor = {type.dtype, type.shape,   wholeOf(type.shape),
                   task,       bytes.data(), rowMajorStrides(type.shape)};
  for (int64_t &stride : tensor.tensor.strides)
    stride *= int64_t(sizeOf(type.dtype));
  tensor.dtype = type.dtype;
  tensor.device =
      partition ? task + ":partition:" + std::to_string(*partition) : task;
  tensor.name = key.substr(key.find('/') + 1);
  tensor.shape = type.shape;
  tensor.trackable = rootOf(key);
  tensor.saveSpec = std::move(saveSpec);
  tensor.checkpointKey = std::move(key);
  tensors.push_back(std::move(tensor));
}

void CheckpointPart::addValue(const std::string &name,
                              const SavedValue &value) {
  const TensorType type{value.dtype, value.shape};
  valueDescription[name] =
      std::to_string(crc32c(value.bytes)) + " of " + toString(type);
  values[name] = {name, type, value.bytes};
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

namespace {

/// A description, read. Names of roots have no space and no line's end.
struct Description {
  std::string roots, steps;
  std::map<std::string, std::string> values;

  explicit Description(const std::string &text) {
    std::istringstream lines(text);
    std::getline(lines, roots);
    std::getline(lines, steps);
    for (std::string name, what;
         std::getline(lines, name, ' ') && std::getline(lines, what);)
      values[name] = what;
  }
};

} // namespace

std::string CheckpointPart::describe() const {
  std::string text =
      join(manifest.roots, ", ", &CheckpointManifest::Root::name) + "\n";
  if (!manifest.roots.empty()) // The steps are those of the only Session.
    text += join(manifest.roots.back().steps, ", ");
  text += "\n";
  for (const auto &[name, what] : valueDescription)
    text += name + " " + what + "\n";
  return text;
}

Status CheckpointPart::shareOut(const std::vector<std::string> &descriptions) {
  const Description first(descriptions.front());
  std::map<std::string, std::pair<uint32_t, std::string>> writers;
  for (uint32_t from = 0; from < descriptions.size(); ++from) {
    const Description of(descriptions[from]);
    const std::string who = "rank " + std::to_string(from);
    if (of.roots != first.roots)
      return invalidArgument(who + " saves of its Session " + of.roots +
                             ", and rank 0 " + first.roots +
                             "; give every rank the same Checkpoint");
    if (of.steps != first.steps)
      return failedPrecondition(who + " has made " + of.steps +
                                " steps by mode, and rank 0 " + first.steps +
                                "; restore a checkpoint on every rank");
    for (const auto &[name, what] : of.values) {
      const auto &[writer, written] =
          writers.emplace(name, std::pair(from, what)).first->second;
      if (written != what)
        return invalidArgument(
            "value '" + name + "' is another one on " + who + " than on rank " +
            std::to_string(writer) +
            "; give values that differ by rank names that do");
    }
  }
  for (auto &[name, writer] : writers) {
    const SafetensorsTensor &value = values[name];
    if (writer.first == rank)
      addTensor(name, name, value.type, value.bytes, std::nullopt);
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

/// Row-major, in `room` unless they are so already.
static std::span<const std::byte> bytesOf(const ShardTensor &part,
                                          std::vector<std::byte> &room) {
  const size_t elementBytes = sizeOf(part.dtype);
  const Shape &extent = part.shape, strides = rowMajorStrides(extent);
  const auto size = size_t(numElements(extent)) * elementBytes;
  // Dimensions from here on lie in one run.
  size_t outer = extent.size();
  auto run = int64_t(elementBytes);
  for (; outer > 0 && part.strides[outer - 1] == run; --outer)
    run *= extent[outer - 1];
  while (outer > 0 && extent[outer - 1] == 1)
    --outer;
  if (outer == 0 || size == 0)
    return {part.bytes, size};
  room.resize(size);
  for (size_t at = 0; at < size; at += size_t(run)) {
    const std::byte *from = part.bytes;
    for (size_t d = 0; d < outer; ++d)
      from +=
          int64_t(at / elementBytes) / strides[d] % extent[d] * part.strides[d];
    std::memcpy(room.data() + at, from, size_t(run));
  }
  return room;
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
        file, path + shardSuffix(kModelSuffix, before.model++, total.model),
        files));
  for (const ShardFile &file : shards.state)
    SMP_RETURN_IF_ERROR(writeFile(
        file, path + shardSuffix(kStateSuffix, before.state++, total.state),
        files));
  return std::move(manifest);
}

Status CheckpointPart::writeFile(const ShardFile &file, const std::string &path,
                                 FileSystem &files) {
  std::vector<SafetensorsTensor> written;
  std::deque<std::vector<std::byte>> rooms;
  const auto number = uint32_t(manifest.files.size());
  for (const ShardPart &shardPart : file) {
    const auto &[tensor, part] = shardPart;
    std::string name = shardPart.name();
    written.push_back(
        {name, {part.dtype, part.shape}, bytesOf(part, rooms.emplace_back())});
    const auto [item, isNew] =
        itemOfKey.emplace(tensor->checkpointKey, manifest.items.size());
    if (isNew)
      manifest.items.push_back(
          {tensor->checkpointKey, {tensor->dtype, tensor->shape}, {}});
    manifest.items[item->second].slices.push_back(
        {number, std::move(name), part.slice});
  }
  SMP_ASSIGN_OR_RETURN(FileDigest digest,
                       writeSafetensors(written, {}, path, files));
  manifest.files.push_back(
      {path.substr(path.rfind('/') + 1), std::move(digest)});
  return Status();
}

} // namespace smp
