// SPDX-License-Identifier: Apache-2.0
#include "CheckpointPart.h"
#include "RootKinds.h"
#include "smp/base/Lists.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/Crc32c.h"
#include <algorithm>
#include <sstream>

namespace smp {

//===----------------------------------------------------------------------===//
// Copying
//===----------------------------------------------------------------------===//

Status CheckpointPart::copy(const Checkpoint &checkpoint) {
  for (const Checkpoint::Root &root : checkpoint.roots())
    SMP_RETURN_IF_ERROR(root.session() ? addVariables(root) : addValue(root));
  return copyVariables();
}

Status CheckpointPart::addVariables(const Checkpoint::Root &root) {
  SessionCore &session = *root.session();
  SMP_ASSIGN_OR_RETURN(std::vector<KeyedVariable> variables, variablesOf(root));
  const bool isModel = root.name() == kModelRoot;
  Shards &shards = isModel ? model : state;
  std::vector<VariableBytes> &copied = wanted[&session];
  for (KeyedVariable &variable : variables) {
    const auto size = uint64_t(variable.type.bytes());
    shards.ranks.insert(variable.rank);
    bytesOfRank[variable.rank] += size;
    if (variable.rank != rank)
      continue;
    const std::span<std::byte> bytes = storage.emplace_back(size);
    copied.push_back({names.emplace_back(variable.variable), bytes});
    std::string name = isModel ? variable.variable : variable.key;
    shards.keys.push_back(std::move(variable.key));
    shards.tensors.push_back(
        {std::move(name), std::move(variable.type), bytes});
  }
  manifest.roots.push_back({.name = root.name(),
                            .program = session.fingerprint(),
                            .kinds = kindsOf(session),
                            .kernelRevision = SMP_KERNEL_ABI_VERSION,
                            .devices = devicesOf(session, rank)});
  sessions.push_back(&session);
  return Status();
}

Status CheckpointPart::addValue(const Checkpoint::Root &root) {
  SMP_ASSIGN_OR_RETURN(SavedValue value,
                       root.value()->save().in("value '" + root.name() + "'"));
  const std::vector<std::byte> &bytes =
      storage.emplace_back(std::move(value.bytes));
  const TensorType type{value.dtype, std::move(value.shape)};
  valueDescription[root.name()] =
      std::to_string(crc32c(bytes)) + " of " + toString(type);
  values[root.name()] = {root.name(), type, bytes};
  return Status();
}

/// Of one Session all at once, so that no step runs in between.
Status CheckpointPart::copyVariables() {
  std::map<SessionCore *, StepCounts> steps;
  for (auto &[session, variables] : wanted)
    SMP_RETURN_IF_ERROR(session->readSnapshot(variables, steps[session]));
  for (size_t i = 0; i < sessions.size(); ++i)
    manifest.roots[i].steps = steps[sessions[i]];
  return Status();
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
    state.ranks.insert(writer.first);
    if (writer.first != rank)
      continue;
    state.keys.push_back(name);
    state.tensors.push_back(values[name]);
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

StatusOr<CheckpointManifest> CheckpointPart::write(const std::string &path,
                                                   FileSystem &files) {
  SMP_RETURN_IF_ERROR(writeShard(kModelSuffix, model, path, files));
  SMP_RETURN_IF_ERROR(writeShard(kStateSuffix, state, path, files));
  return std::move(manifest);
}

Status CheckpointPart::writeShard(std::string_view suffix, const Shards &shards,
                                  const std::string &path, FileSystem &files) {
  if (shards.tensors.empty())
    return Status();
  const auto before = std::distance(shards.ranks.begin(), //
                                    shards.ranks.find(rank));
  const std::string end =
      shardSuffix(suffix, size_t(before), shards.ranks.size());
  SMP_ASSIGN_OR_RETURN(FileDigest digest,
                       writeSafetensors(shards.tensors, {}, path + end, files));
  const auto file = uint32_t(manifest.files.size());
  manifest.files.push_back(
      {path.substr(path.rfind('/') + 1) + end, std::move(digest)});
  for (size_t i = 0; i < shards.tensors.size(); ++i) {
    const auto &[name, type, bytes] = shards.tensors[i];
    manifest.items.push_back(
        {shards.keys[i], type, {{file, name, wholeOf(type.shape)}}});
  }
  return Status();
}

} // namespace smp
