// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/Checkpoint.h"
#include "ApplicationValues.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/CheckpointRoots.h"
#include <algorithm>
#include <map>
#include <set>

namespace smp {

static bool isRootName(const std::string &name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

Checkpoint::Object::Object(SessionCore &session) : roots(1) {
  roots[0].core = &session;
}
Checkpoint::Object::Object(int64_t &value) : roots(1) {
  roots[0].saveable = savedNumber(value);
  roots[0].number = &value;
  roots[0].object = &value;
}
Checkpoint::Object::Object(double &value) : roots(1) {
  roots[0].saveable = savedNumber(value);
  roots[0].object = &value;
}
Checkpoint::Object::Object(std::string &value) : roots(1) {
  roots[0].saveable = savedText(value);
  roots[0].object = &value;
}
Checkpoint::Object::Object(Saveable &value) : roots(1) {
  roots[0].saveable = {&value, [](Saveable *) {}};
  roots[0].object = &value;
  roots[0].hadData = value.hasData();
}
Checkpoint::Object::Object(ShardedValue &value) : roots(1) {
  roots[0].parts = &value;
  roots[0].object = &value;
}

Checkpoint::Object::Object(std::initializer_list<Object> list)
    : Object(std::vector<Object>(list)) {}
Checkpoint::Object::Object(const std::vector<Object> &list) {
  for (size_t i = 0; i < list.size(); ++i)
    add(std::to_string(i), list[i]);
}

Checkpoint::Object::Object(std::initializer_list<Named> map)
    : Object(std::vector<Named>(map)) {}
Checkpoint::Object::Object(std::vector<Named> map) {
  std::ranges::stable_sort(map, {}, &Named::name);
  for (const Named &named : map) {
    if (!isRootName(named.name))
      wrongName = named.name;
    add(named.name, named.object);
  }
}

void Checkpoint::Object::add(const std::string &name, const Object &object) {
  if (object.wrongName)
    wrongName = object.wrongName;
  for (const Root &root : object.roots) {
    Root &added = roots.emplace_back(root);
    added.rootName = root.rootName.empty() ? name : name + "/" + root.rootName;
  }
}

//===----------------------------------------------------------------------===//
// A Checkpoint
//===----------------------------------------------------------------------===//

Checkpoint::Checkpoint(std::initializer_list<Named> roots)
    : Checkpoint(std::vector<Named>(roots)) {}

Checkpoint::Checkpoint(std::vector<Named> roots) {
  if (roots.empty())
    refuse("a Checkpoint without roots has nothing to save");
  add(std::move(roots));
}

Checkpoint::Checkpoint(SessionCore &root, std::vector<Named> more,
                       const Mesh &mesh) {
  std::erase_if(more, [&](const Named &named) {
    const std::vector<Root> &given = named.object.roots;
    if (!findRootKind(named.name))
      return false;
    if (given.size() != 1 || given.front().core != &root)
      refuse("Cannot create a Checkpoint with keyword argument " + named.name +
             " if root." + named.name + " already exists.");
    return true;
  });
  for (const RootKind &kind : rootKinds())
    more.emplace_back(std::string(kind.root), root);
  add(std::move(more));
  checkMesh(mesh);
}

/// What is said first counts.
void Checkpoint::refuse(std::string why) {
  if (problem.ok())
    problem = invalidArgument(std::move(why));
}

void Checkpoint::add(std::vector<Named> roots) {
  Object all(std::move(roots));
  if (all.wrongName)
    refuse("a root of a Checkpoint is named '" + *all.wrongName +
           "'; a name has letters, digits, '_', '-' and '.'");
  list = std::move(all.roots);
  checkRoots();
  addCounter();
  std::map<const void *, size_t> places;
  std::vector<Root> once;
  for (Root &root : list) {
    const auto [place, isNew] = places.emplace(root.object, once.size());
    if (isNew || !root.object)
      once.push_back(std::move(root));
    else
      once[place->second].others.push_back(std::move(root.rootName));
  }
  list = std::move(once);
}

void Checkpoint::checkRoots() {
  std::set<std::string_view> names;
  for (const Root &root : list) {
    if (!names.insert(root.name()).second)
      refuse("two roots of a Checkpoint are named '" + root.name() + "'");
    if (root.session() && !findRootKind(root.name()))
      refuse("a root of a Checkpoint has a Session and the name '" +
             root.name() +
             "'; a Session has model, optimizer, state and random");
  }
}

/// Counts in the variable of the application's, where there is one.
void Checkpoint::addCounter() {
  const auto top = [](const Root &root) { return rootOf(root.name()); };
  const std::string_view name = kSaveCounter;
  const auto given = std::ranges::find(list, name, top);
  if (given == list.end()) {
    counter = std::make_shared<int64_t>(0);
    Object object(*counter);
    object.roots.front().rootName = kSaveCounter;
    list.insert(std::ranges::upper_bound(list, name, {}, top),
                object.roots.front());
    return;
  }
  if (!given->number || given->name() != kSaveCounter)
    refuse("the root 'save_counter' counts saves; it must be an int64_t");
  counter = given->number ? std::shared_ptr<int64_t>(std::shared_ptr<void>(),
                                                     given->number)
                          : std::make_shared<int64_t>(0);
}

void Checkpoint::checkMesh(const Mesh &mesh) {
  for (const Root &root : list) {
    if (mesh.isEmpty() || !root.sharded())
      continue;
    const Mesh &own = root.sharded()->layout.mesh();
    if (own.dimensions() != mesh.dimensions() ||
        own.globalDeviceIds() != mesh.globalDeviceIds())
      refuse("the value '" + root.name() + "' is on the mesh " + toString(own) +
             ", and the Checkpoint on " + toString(mesh) +
             "; give both the same");
  }
}

} // namespace smp
