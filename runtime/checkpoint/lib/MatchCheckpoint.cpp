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
  }

  StatusOr<CheckpointMatch> run(const Checkpoint &checkpoint) {
    for (const Checkpoint::Root &root : checkpoint.roots())
      if (root.session())
        SMP_RETURN_IF_ERROR(addVariables(root));
      else if (const Item *item = find(root.name()))
        match.values.push_back({&root, item});
    for (const Item &item : manifest.items)
      if (!asked.contains(item.key))
        match.report.extra.push_back(item.key);
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

  Status addVariables(const Checkpoint::Root &root) {
    SMP_ASSIGN_OR_RETURN(std::vector<KeyedVariable> variables,
                         variablesOf(root));
    CheckpointMatch::Variables matched{&root, findRoot(root.name()), {}};
    for (KeyedVariable &variable : variables)
      if (!matched.saved)
        match.report.missing.push_back(variable.key);
      else if (const Item *item = find(variable.key);
               item && hasType(*item, variable.type))
        matched.variables.push_back({std::move(variable), item});
    if (matched.saved)
      match.sessions.push_back(std::move(matched));
    return Status();
  }

  bool hasType(const Item &item, const TensorType &wanted) {
    if (item.type == wanted)
      return true;
    RestoreReport &report = match.report;
    report.matched.pop_back();
    (item.type.dtype == wanted.dtype ? report.reshaped : report.retyped)
        .push_back({item.key, item.type, wanted});
    return false;
  }

  const CheckpointManifest &manifest;
  std::map<std::string_view, const Item *> items; // By key.
  std::set<std::string> asked;
  CheckpointMatch match;
};

std::set<std::string, std::less<>> rootNames(const Checkpoint &checkpoint) {
  std::set<std::string, std::less<>> names;
  for (const Checkpoint::Root &root : checkpoint.roots())
    names.emplace(rootOf(root.name()));
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
