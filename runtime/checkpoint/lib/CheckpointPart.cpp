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
  Shards &shards = isModel ? model : state;
  for (KeyedVariable &variable : variables) {
    shards.ranks.insert(variable.rank);
    bytesOfRank[variable.rank] += uint64_t(variable.type.bytes());
    if (variable.rank != rank)
      continue;
    std::string name = isModel ? variable.variable : variable.key;
    shards.keys.push_back(std::move(variable.key));
    shards.tensors.push_back({std::move(name), std::move(variable.type),
                              saved.variable(session, taken[&session]++)});
  }
  manifest.roots.push_back({.name = root.name(),
                            .program = session.fingerprint(),
                            .kinds = kindsOf(session),
                            .steps = saved.steps(session),
                            .kernelRevision = SMP_KERNEL_ABI_VERSION,
                            .devices = devicesOf(session, rank)});
  return Status();
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
