// SPDX-License-Identifier: Apache-2.0
#include "MatchCheckpoint.h"
#include "smp/exec/SessionCore.h"
#include <algorithm>
#include <map>
#include <set>

namespace smp {

namespace {

using Item = CheckpointManifest::Item;

class Matching {
public:
  Matching(const CheckpointManifest &manifest, const std::string &path)
      : manifest(manifest) {
    match.report.path = path;
    for (const Item &item : manifest.items)
      items[item.key] = &item;
    for (const CheckpointManifest::Name &name : manifest.names)
      names[name.name] = name.key;
  }

  StatusOr<CheckpointMatch> run(const Checkpoint &checkpoint) {
    for (const Checkpoint::Root &root : checkpoint.roots())
      if (root.session())
        SMP_RETURN_IF_ERROR(addVariables(root));
      else
        addValue(root);
    for (const Item &item : manifest.items)
      if (!asked.contains(item.key))
        match.report.extra.push_back(item.key);
    for (const CheckpointManifest::Name &name : manifest.names)
      if (name.key.empty() && !asked.contains(name.name))
        match.report.extra.push_back(name.name);
    return std::move(match);
  }

private:
  const CheckpointManifest::Root *findRoot(const std::string &name) const {
    const auto found = std::ranges::find(manifest.roots, name,
                                         &CheckpointManifest::Root::name);
    return found == manifest.roots.end() ? nullptr : &*found;
  }

  /// Null, and missing, where the checkpoint has none.
  const Item *find(const std::string &key) {
    asked.insert(key);
    const auto found = items.find(key);
    const bool isThere = found != items.end();
    (isThere ? match.report.matched : match.report.missing).push_back(key);
    return isThere ? found->second : nullptr;
  }

  /// The item that has the value of a name, be it its own or not.
  const Item *itemOf(const std::string &name) {
    asked.insert(name);
    const auto other = names.find(name);
    const std::string &key = other == names.end() ? name : other->second;
    const auto found = items.find(key);
    if (found == items.end())
      return nullptr;
    asked.insert(key);
    return found->second;
  }

  /// From the first of its names that the checkpoint has.
  void addValue(const Checkpoint::Root &root) {
    std::vector<std::string> all{root.name()}, own;
    all.insert(all.end(), root.otherNames().begin(), root.otherNames().end());
    const Item *item = nullptr;
    bool isListed = false;
    for (const std::string &name : all) {
      isListed |= names.contains(name);
      if (!item)
        item = itemOf(name);
      else if (items.contains(name) && items.at(name) != item)
        continue; // Another value there, which nothing here takes.
      asked.insert(name);
      own.push_back(name);
    }
    RestoreReport &report = match.report;
    if (!item && root.name() == Checkpoint::kSaveCounter)
      return; // A converted checkpoint has none.
    const bool isThere = item || (isListed && !root.hasData());
    auto &list = isThere ? report.matched : report.missing;
    list.insert(list.end(), own.begin(), own.end());
    if (!item || !root.hasData())
      return;
    if (root.value())
      match.values.push_back({&root, item});
    else if (hasType(*item, root.sharded()->type, own.size()))
      match.inParts.push_back({&root, item});
  }

  Status addVariables(const Checkpoint::Root &root) {
    SMP_ASSIGN_OR_RETURN(std::vector<KeyedVariable> variables,
                         variablesOf(root));
    CheckpointMatch::Variables matched{&root, findRoot(root.name()), {}};
    for (KeyedVariable &variable : variables)
      if (!matched.saved)
        match.report.missing.push_back(variable.key);
      else if (const Item *item = find(variable.key);
               item && hasType(*item, variable.type, 1))
        matched.variables.push_back({std::move(variable), item});
    if (matched.saved)
      match.sessions.push_back(std::move(matched));
    return Status();
  }

  /// If not, the last `names` of those that matched did not.
  bool hasType(const Item &item, const TensorType &wanted, size_t names) {
    if (item.type == wanted)
      return true;
    RestoreReport &report = match.report;
    report.matched.resize(report.matched.size() - names);
    (item.type.dtype == wanted.dtype ? report.reshaped : report.retyped)
        .push_back({item.key, item.type, wanted});
    return false;
  }

  const CheckpointManifest &manifest;
  std::map<std::string_view, const Item *> items; // By key.
  std::map<std::string, std::string> names;       // Those without an item.
  std::set<std::string> asked;
  CheckpointMatch match;
};

std::set<std::string, std::less<>> rootNames(const Checkpoint &checkpoint) {
  std::set<std::string, std::less<>> names;
  for (const Checkpoint::Root &root : checkpoint.roots()) {
    names.emplace(rootOf(root.name()));
    for (const std::string &other : root.otherNames())
      names.emplace(rootOf(other));
  }
  return names;
}

} // namespace

StatusOr<CheckpointMatch> matchCheckpoint(const Checkpoint &checkpoint,
                                          const CheckpointManifest &manifest,
                                          const std::string &path) {
  return Matching(manifest, path).run(checkpoint);
}

Status checkMatch(const RestoreReport &report, const Checkpoint &checkpoint,
                  bool expectPartial) {
  RestoreReport wrong = report;
  const auto named = rootNames(checkpoint);
  std::erase_if(wrong.extra, [&](const std::string &key) {
    return expectPartial || !named.contains(rootOf(key));
  });
  if (expectPartial)
    wrong.missing.clear();
  const std::string differences = differencesOf(wrong);
  if (differences.empty())
    return Status();
  const bool isPartial = !wrong.missing.empty() || !wrong.extra.empty();
  return invalidArgument(
      "checkpoint '" + report.path + "' does not fit the program: " +
      differences + "; restore into what was saved" +
      (isPartial ? ", or with expectPartial what both have" : ""));
}

std::vector<std::string> unnamedRoots(const RestoreReport &report,
                                      const Checkpoint &checkpoint) {
  auto known = rootNames(checkpoint);
  std::vector<std::string> roots;
  for (const std::string &key : report.extra)
    if (known.emplace(rootOf(key)).second)
      roots.emplace_back(rootOf(key));
  return roots;
}

} // namespace smp
