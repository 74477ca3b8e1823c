// SPDX-License-Identifier: Apache-2.0
// Layouts: along which dimensions of a mesh the axes of a tensor are sharded.
//
//   auto layout = smp::Layout::create({"x", "unsharded"}, mesh);
//   toString(*layout); // "sharding_specs:x,unsharded, mesh:<mesh>"
//
// smp/model/Shards.h says which elements each device has then.

#ifndef SMP_MODEL_LAYOUT_H
#define SMP_MODEL_LAYOUT_H

#include "smp/model/Mesh.h"
#include <span>

namespace smp {

/// A layout that was checked, or the empty one. It has a sharding spec per axis
/// of the tensor: the name of a dimension of the mesh, each at most once, or
/// kUnsharded, or kMatch. Along the dimensions that no spec names the tensor is
/// replicated. Immutable.
class SMP_API Layout {
public:
  static constexpr std::string_view kUnsharded = "unsharded";
  /// As the axis of another tensor: not known yet, so that there are no shards.
  static constexpr std::string_view kMatch = "match";

  /// The empty layout: "empty_layout".
  Layout() = default;
  /// Fails for the empty mesh and for specs that are none.
  static Expected<Layout> create(std::vector<std::string> specs, Mesh mesh);
  /// Every device has all of a tensor of that rank.
  static Expected<Layout> replicated(Mesh mesh, size_t rank);
  /// One axis is sharded: the first, unless it is said which.
  static Expected<Layout> batchSharded(Mesh mesh, std::string_view dimension,
                                       size_t rank, size_t axis = 0);
  /// The last axis is sharded.
  static Expected<Layout> innerSharded(Mesh mesh, std::string_view dimension,
                                       size_t rank);
  /// Reads what toString() writes.
  static Expected<Layout> fromString(std::string_view text);
  /// The layout of a tensor without these axes.
  Expected<Layout> removeAxes(std::span<const size_t> axes) const;

  bool isEmpty() const { return layoutMesh.isEmpty(); }
  const std::vector<std::string> &specs() const { return shardingSpecs; }
  const Mesh &mesh() const { return layoutMesh; }
  size_t rank() const { return shardingSpecs.size(); }
  /// How many parts an axis has: 1 if it is unsharded, -1 for kMatch.
  int64_t numShards(size_t axis) const;
  /// No axis has several parts: a dimension of size 1 shards nothing.
  bool isFullyReplicated() const;

  bool operator==(const Layout &) const = default;

private:
  Layout(std::vector<std::string> specs, Mesh mesh)
      : shardingSpecs(std::move(specs)), layoutMesh(std::move(mesh)) {}

  std::vector<std::string> shardingSpecs;
  Mesh layoutMesh;
};

/// "sharding_specs:x,unsharded, mesh:<mesh>": a comma behind every spec, and
/// one space. Of a scalar "sharding_specs: mesh:<mesh>".
SMP_API std::string toString(const Layout &layout);

} // namespace smp

#endif // SMP_MODEL_LAYOUT_H
