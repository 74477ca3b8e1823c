// SPDX-License-Identifier: Apache-2.0
#include "SaveCheckpoint.h"
#include "Keys.h"
#include "RootKinds.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/AtomicFile.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/Safetensors.h"
#include <chrono>
#include <deque>
#include <map>

namespace smp {

namespace {

class Saver {
public:
  explicit Saver(const std::string &path)
      : path(path), base(path.substr(path.rfind('/') + 1)) {}

  Status save(const Checkpoint &checkpoint) {
    for (const Checkpoint::Root &root : checkpoint.roots())
      SMP_RETURN_IF_ERROR(root.session() ? addVariables(root) : addValue(root));
    SMP_RETURN_IF_ERROR(copyVariables());
    SMP_RETURN_IF_ERROR(writeTensors(kModelSuffix, model));
    SMP_RETURN_IF_ERROR(writeTensors(kStateSuffix, state));
    return writeManifest();
  }

private:
  /// What goes into one file.
  struct Part {
    std::vector<SafetensorsTensor> tensors;
    std::vector<std::string> keys; // By tensor.
  };

  std::span<std::byte> room(size_t bytes) {
    storage.emplace_back(bytes);
    return storage.back();
  }

  static void add(Part &part, std::string key, SafetensorsTensor tensor) {
    part.keys.push_back(std::move(key));
    part.tensors.push_back(std::move(tensor));
  }

  Status addVariables(const Checkpoint::Root &root) {
    SessionCore &session = *root.session();
    if (session.rankCount() > 1)
      return failedPrecondition(
          "a checkpoint is saved by a Session that has all devices to itself; "
          "this one is one of " +
          std::to_string(session.rankCount()) + " ranks");
    StatusOr<std::vector<KeyedVariable>> variables = variablesOf(root);
    if (!variables.ok())
      return variables.status();
    const bool isModel = root.name() == kModelRoot;
    std::vector<VariableBytes> &copied = wanted[&session];
    for (KeyedVariable &variable : *variables) {
      const std::span<std::byte> bytes = room(size_t(variable.type.bytes()));
      copied.push_back({names.emplace_back(variable.variable), bytes});
      std::string name = isModel ? variable.variable : variable.key;
      add(isModel ? model : state, std::move(variable.key),
          {std::move(name), std::move(variable.type), bytes});
    }
    manifest.roots.push_back(
        {root.name(), session.fingerprint(), kindsOf(session), {}});
    sessions.push_back(&session);
    return Status();
  }

  Status addValue(const Checkpoint::Root &root) {
    StatusOr<SavedValue> value = root.value()->save();
    if (!value.ok())
      return value.status().in("value '" + root.name() + "'");
    storage.push_back(std::move(value->bytes));
    add(state, root.name(),
        {root.name(), {value->dtype, std::move(value->shape)}, storage.back()});
    return Status();
  }

  /// Of one Session all at once, so that no step runs in between.
  Status copyVariables() {
    std::map<SessionCore *, StepCounts> steps;
    for (auto &[session, variables] : wanted)
      SMP_RETURN_IF_ERROR(session->readSnapshot(variables, steps[session]));
    for (size_t i = 0; i < sessions.size(); ++i)
      manifest.roots[i].steps = steps[sessions[i]];
    return Status();
  }

  Status writeTensors(std::string_view suffix, const Part &part) {
    if (part.tensors.empty())
      return Status();
    const std::string end(suffix);
    StatusOr<FileDigest> digest =
        writeSafetensors(part.tensors, {}, path + end);
    if (!digest.ok())
      return digest.status();
    const auto file = uint32_t(manifest.files.size());
    manifest.files.push_back({base + end, digest->size, digest->crc32c});
    for (size_t i = 0; i < part.tensors.size(); ++i)
      manifest.items.push_back(
          {part.keys[i], file, part.tensors[i].name, part.tensors[i].type});
    return Status();
  }

  Status writeManifest() {
    using Seconds = std::chrono::duration<double>;
    manifest.time =
        Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
    const std::string text = formatCheckpointManifest(manifest);
    StatusOr<AtomicFile> file =
        AtomicFile::create(path + std::string(kManifestSuffix));
    if (!file.ok())
      return file.status();
    SMP_RETURN_IF_ERROR(file->write(std::as_bytes(std::span(text))));
    return file->commit();
  }

  const std::string path, base;
  CheckpointManifest manifest;
  Part model, state;
  std::vector<std::vector<std::byte>> storage;
  std::deque<std::string> names;       // They stay where they are.
  std::vector<SessionCore *> sessions; // By root of the manifest.
  std::map<SessionCore *, std::vector<VariableBytes>> wanted;
};

} // namespace

Status saveCheckpoint(const Checkpoint &checkpoint, const std::string &path) {
  return Saver(path).save(checkpoint);
}

} // namespace smp
