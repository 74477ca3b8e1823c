// SPDX-License-Identifier: Apache-2.0
#include "LoadCheckpoint.h"
#include "Keys.h"
#include "smp/base/Lists.h"
#include "smp/exec/SessionCore.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/CheckpointReader.h"
#include "smp/serialization/Crc32c.h"
#include <deque>
#include <map>
#include <set>
#include <span>

namespace smp {

using Item = CheckpointManifest::Item;

/// Some of a list, for a message.
static std::string someOf(std::span<const std::string> names) {
  static constexpr size_t kMost = 5;
  if (names.size() <= kMost)
    return listNames(names);
  return listNames(names.first(kMost)) + " and " +
         std::to_string(names.size() - kMost) + " more";
}

/// A checkpoint's files, and what is to be set to what they hold.
class Loader {
public:
  Loader(CheckpointReader opened, const std::string &path, const LogSink &log)
      : reader(std::move(opened)), manifest(reader.manifest()), path(path),
        log(log) {
    for (const Item &item : manifest.items)
      items[item.key] = &item;
  }

  const CheckpointManifest &contents() const { return manifest; }

  /// When a file is damaged, says of all files what is wrong.
  Status check(const Checkpoint &checkpoint) {
    const Status found = checkRoots(checkpoint);
    if (found.code() != StatusCode::DataLoss &&
        found.code() != StatusCode::Unavailable)
      return found;
    const Status damage = reader.verify();
    return damage.ok() ? found : damage;
  }

  Status apply() {
    for (auto &[session, part] : parts)
      if (Status status = session->writeSnapshot(part.variables, part.elsewhere,
                                                 part.steps);
          !status.ok())
        return status.in("restore() was cut short, call it again");
    for (auto &[value, tensor] : values)
      value->restore(tensor);
    return Status();
  }

  void sayWhatDiffers(const Checkpoint &checkpoint) {
    std::vector<std::string> left;
    std::set<std::string_view> roots;
    for (const Checkpoint::Root &root : checkpoint.roots())
      roots.insert(root.name());
    for (const Item &item : manifest.items)
      if (roots.insert(rootOf(item.key)).second)
        left.emplace_back(rootOf(item.key));
    if (!left.empty())
      say("has the roots " + someOf(left) +
          ", which were not restored: the "
          "Checkpoint does not name them");
    std::set<std::string> said;
    for (const Checkpoint::Root &root : checkpoint.roots())
      if (const CheckpointManifest::Root *saved = findRoot(root.name());
          saved && root.session()) {
        if (const std::string kinds = kindsOf(*root.session());
            !kinds.empty() && kinds != saved->kinds &&
            said.insert(kinds).second)
          sayWhere(saved->kinds, kinds);
        if (const uint32_t revision = saved->kernelRevision;
            revision && revision != SMP_KERNEL_ABI_VERSION &&
            said.insert("revision").second)
          sayWhere("kernels of revision " + std::to_string(revision),
                   std::to_string(SMP_KERNEL_ABI_VERSION));
      }
  }

private:
  Status checkRoots(const Checkpoint &checkpoint) {
    for (const Checkpoint::Root &root : checkpoint.roots())
      SMP_RETURN_IF_ERROR(root.session() ? checkVariables(root)
                                         : checkValue(root));
    return Status();
  }

  void say(const std::string &what) {
    log(LogLevel::Warning, "checkpoint '" + path + "' " + what);
  }

  void sayWhere(const std::string &before, const std::string &now) {
    say("was saved on " + before + " and goes on on " + now +
        ": results may differ in their last bits");
  }

  const CheckpointManifest::Root *findRoot(const std::string &name) const {
    for (const CheckpointManifest::Root &root : manifest.roots)
      if (root.name == name)
        return &root;
    return nullptr;
  }

  Status differs(const std::string &what, const std::string &todo) const {
    return invalidArgument("checkpoint '" + path + "' " + what + "; " + todo);
  }

  Status checkVariables(const Checkpoint::Root &root) {
    SMP_ASSIGN_OR_RETURN(std::vector<KeyedVariable> variables,
                         variablesOf(root));
    const CheckpointManifest::Root *saved = findRoot(root.name());
    if (!saved && variables.empty())
      return Status();
    if (!saved)
      return differs("has no root '" + root.name() + "' of a Session",
                     "leave it out of the Checkpoint");
    std::vector<std::string> missing;
    std::set<std::string_view> known;
    SessionPart &part = parts[root.session()];
    part.steps = saved->steps;
    for (const KeyedVariable &variable : variables) {
      known.insert(variable.key);
      auto found = items.find(variable.key);
      if (found == items.end()) {
        missing.push_back(variable.key);
        continue;
      }
      const Item &item = *found->second;
      if (!(item.type == variable.type))
        return differs("has '" + variable.key + "' in '" +
                           reader.fileOf(item.slices.front()) + "' as " +
                           toString(item.type) + "; the program has it as " +
                           toString(variable.type),
                       "restore with the model that was saved");
      names.push_back(variable.variable);
      if (!variable.isNeeded) {
        part.elsewhere.push_back(names.back());
        continue;
      }
      SMP_ASSIGN_OR_RETURN(const TensorView view, viewOf(item));
      part.variables.push_back({names.back(), view});
    }
    if (!missing.empty())
      return differs("lacks " + someOf(missing) + ", of " +
                         std::to_string(variables.size()) +
                         " variables that the program has as '" + root.name() +
                         "'",
                     "restore with the model that was saved");
    return checkNothingElse(root.name(), known);
  }

  Status checkNothingElse(const std::string &root,
                          const std::set<std::string_view> &known) const {
    std::vector<std::string> unknown;
    for (const Item &item : manifest.items)
      if (rootOf(item.key) == root && !known.contains(item.key))
        unknown.push_back(item.key);
    if (unknown.empty())
      return Status();
    return differs("has " + someOf(unknown) +
                       ", of which the program has no "
                       "variable of that kind",
                   "restore with the model that was saved");
  }

  Status checkValue(const Checkpoint::Root &root) {
    auto found = items.find(root.name());
    if (found == items.end())
      return differs("has no value '" + root.name() + "'",
                     "leave it out of the Checkpoint");
    SMP_ASSIGN_OR_RETURN(const TensorView view, viewOf(*found->second));
    if (Status status = root.value()->check(view); !status.ok())
      return status.in("checkpoint '" + path + "', value '" + root.name() +
                       "'");
    values.push_back({root.value(), view});
    return Status();
  }

  StatusOr<TensorView> viewOf(const Item &item) {
    SMP_ASSIGN_OR_RETURN(const auto bytes, reader.read(item));
    return TensorView{item.type.dtype, item.type.shape, bytes.data()};
  }

  /// What a Session is to be set to.
  struct SessionPart {
    std::vector<InputTensor> variables;
    std::vector<std::string_view> elsewhere; // Other ranks set them.
    StepCounts steps{};
  };

  CheckpointReader reader;
  const CheckpointManifest &manifest;
  const std::string &path;
  const LogSink &log;
  std::map<std::string_view, const Item *> items; // By key.
  std::deque<std::string> names;                  // They stay where they are.
  std::map<SessionCore *, SessionPart> parts;
  std::vector<std::pair<Saveable *, TensorView>> values;
};

CheckpointLoader::CheckpointLoader(const Checkpoint &checkpoint,
                                   std::string path, FileSystem &files,
                                   const LogSink &log)
    : checkpoint(checkpoint), path(std::move(path)), files(files), log(log) {}
CheckpointLoader::~CheckpointLoader() = default;

Status CheckpointLoader::check() {
  SMP_ASSIGN_OR_RETURN(CheckpointReader reader,
                       CheckpointReader::open(path, files));
  loader = std::make_unique<Loader>(std::move(reader), path, log);
  return loader->check(checkpoint);
}

std::string CheckpointLoader::identity() const {
  const std::string text = formatCheckpointManifest(loader->contents());
  return std::to_string(crc32c(std::as_bytes(std::span(text))));
}

uint64_t CheckpointLoader::bytes() const {
  uint64_t sum = 0;
  for (const CheckpointManifest::File &file : loader->contents().files)
    sum += file.digest.size;
  return sum;
}

Status CheckpointLoader::apply() {
  SMP_RETURN_IF_ERROR(loader->apply());
  loader->sayWhatDiffers(checkpoint);
  return Status();
}

} // namespace smp
