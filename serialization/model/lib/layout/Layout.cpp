// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Layout.h"
#include "Text.h"
#include <algorithm>

namespace smp {

using namespace text;

static constexpr std::string_view kEmpty = "empty_layout";
static constexpr std::string_view kSpecs = "sharding_specs:", kMesh = "mesh:";

/// "['x', 'unsharded']".
static std::string listText(const std::vector<std::string> &specs) {
  return "['" + joined(specs, "', '") + "']";
}

static Problem checkSpecs(const std::vector<std::string> &specs,
                          const Mesh &mesh) {
  for (const std::string &spec : specs) {
    if (spec == Layout::kUnsharded || spec == Layout::kMatch)
      continue;
    if (std::count(specs.begin(), specs.end(), spec) > 1)
      return say("Mesh dimension % was repeated in sharding specification %. "
                 "Mesh dimensions must be unique in a layout.",
                 {spec, listText(specs)});
    if (!mesh.find(spec))
      return say("%: A dimension sharding must either be a valid mesh "
                 "dimension or UNSHARDED.",
                 {spec});
  }
  return std::nullopt;
}

Expected<Layout> Layout::create(std::vector<std::string> specs, Mesh mesh) {
  if (mesh.isEmpty())
    return Failure{"a layout is on empty_mesh, which has no devices; give it a "
                   "mesh"};
  if (Problem problem = checkSpecs(specs, mesh))
    return Failure{*problem};
  return Layout(std::move(specs), std::move(mesh));
}

Expected<Layout> Layout::replicated(Mesh mesh, size_t rank) {
  return create(std::vector<std::string>(rank, std::string(kUnsharded)),
                std::move(mesh));
}

Expected<Layout> Layout::batchSharded(Mesh mesh, std::string_view dimension,
                                      size_t rank, size_t axis) {
  if (axis >= rank)
    return Failure{say("axis % of a tensor of rank % is to be sharded along "
                       "'%'; an axis is at least 0 and less than the rank",
                       {axis, rank, dimension})};
  std::vector<std::string> specs(rank, std::string(kUnsharded));
  specs[axis] = dimension;
  return create(std::move(specs), std::move(mesh));
}

Expected<Layout> Layout::innerSharded(Mesh mesh, std::string_view dimension,
                                      size_t rank) {
  return batchSharded(std::move(mesh), dimension, rank, rank ? rank - 1 : 0);
}

Expected<Layout> Layout::removeAxes(std::span<const size_t> axes) const {
  std::vector<bool> removed(rank());
  for (size_t axis : axes) {
    if (axis >= rank())
      return Failure{say("axis % is to be removed from a layout of % axes",
                         {axis, rank()})};
    removed[axis] = true;
  }
  std::vector<std::string> left;
  for (size_t axis = 0; axis < rank(); ++axis)
    if (!removed[axis])
      left.push_back(shardingSpecs[axis]);
  return create(std::move(left), layoutMesh);
}

int64_t Layout::numShards(size_t axis) const {
  const std::string &spec = shardingSpecs[axis];
  if (spec == kUnsharded)
    return 1;
  if (spec == kMatch)
    return -1;
  return layoutMesh.dimensions()[*layoutMesh.find(spec)].size;
}

bool Layout::isFullyReplicated() const {
  for (size_t axis = 0; axis < rank(); ++axis)
    if (numShards(axis) != 1)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string toString(const Layout &layout) {
  if (layout.isEmpty())
    return std::string(kEmpty);
  std::string text(kSpecs);
  for (const std::string &spec : layout.specs())
    (text += spec) += ',';
  return ((text += ' ') += kMesh) += toString(layout.mesh());
}

/// "x,unsharded,".
static Expected<std::vector<std::string>> readSpecs(std::string_view text) {
  std::vector<std::string> specs;
  if (text.empty())
    return specs;
  if (!text.ends_with(','))
    return Failure{say("the sharding specs '%' do not end in a comma; there is "
                       "one behind every spec, as in x,unsharded,",
                       {text})};
  text.remove_suffix(1);
  for (std::string_view spec : split(text, ','))
    specs.emplace_back(spec);
  return specs;
}

Expected<Layout> Layout::fromString(std::string_view text) {
  if (text == kEmpty)
    return Layout();
  const std::vector<std::string_view> items = split(text, ' ');
  if (items.size() != 2)
    return Failure{say("layout '%' has % spaces; it must have one: "
                       "sharding_specs:x,unsharded, mesh:<mesh>",
                       {text, items.size() - 1})};
  if (!items[0].starts_with(kSpecs) || !items[1].starts_with(kMesh))
    return Failure{say("layout '%' must be of the form "
                       "sharding_specs:x,unsharded, mesh:<mesh>",
                       {text})};
  Expected<std::vector<std::string>> specs =
      readSpecs(items[0].substr(kSpecs.size()));
  if (!specs.ok())
    return Failure{specs.error()};
  Expected<Mesh> mesh = Mesh::fromString(items[1].substr(kMesh.size()));
  if (!mesh.ok())
    return Failure{mesh.error()};
  return create(specs.take(), mesh.take());
}

} // namespace smp
