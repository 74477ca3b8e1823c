// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/ObjectGraph.h"
#include "TensorBundle.pb.h"
#include "smp/base/Lists.h"
#include <algorithm>
#include <vector>

namespace smp {

static constexpr std::string_view kVariable = "VARIABLE_VALUE";

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// How many bytes all paths together may have, for each byte of the graph. In
/// a graph of TensorFlow's each path is a part of a key, which is there too.
constexpr uint64_t kMaxPathGrowth = 16;

class GraphReader {
public:
  GraphReader(const proto::ObjectGraph &graph, uint64_t graphBytes)
      : graph(graph), ways(size_t(graph.nodes_size())),
        most(graphBytes * kMaxPathGrowth) {}

  StatusOr<std::map<std::string, ObjectName>> read() {
    SMP_RETURN_IF_ERROR(findWays());
    for (const int node : order) {
      SMP_RETURN_IF_ERROR(
          addNames(node, [&](Components &way) { return walk(node, way); }));
      SMP_RETURN_IF_ERROR(addSlots(node));
    }
    return std::move(names);
  }

private:
  using Components = std::vector<std::string_view>;

  /// How a node is reached first.
  struct Way {
    int parent = -1; ///< -1: not at all, or the root.
    std::string_view name;
    bool isFound = false;
  };

  Status checkNode(int node, int child) const {
    if (child >= 0 && child < graph.nodes_size())
      return Status();
    return dataLoss("node " + std::to_string(node) + " refers to node " +
                    std::to_string(child) + " of " +
                    std::to_string(graph.nodes_size()));
  }

  /// Breadth first, so that the shortest way is the first.
  Status findWays() {
    if (graph.nodes_size() == 0)
      return Status();
    ways[0].isFound = true;
    order.push_back(0);
    for (size_t i = 0; i < order.size(); ++i)
      for (const auto &child : graph.nodes(order[i]).children()) {
        SMP_RETURN_IF_ERROR(checkNode(order[i], child.node_id()));
        Way &way = ways[size_t(child.node_id())];
        if (way.isFound)
          continue;
        way = {order[i], child.local_name(), true};
        order.push_back(child.node_id());
      }
    return Status();
  }

  /// Appends the names on the way to a node.
  Status walk(int node, Components &way) {
    const size_t begin = way.size();
    for (; ways[size_t(node)].parent >= 0; node = ways[size_t(node)].parent) {
      way.push_back(ways[size_t(node)].name);
      pathBytes += way.back().size() + 1;
      if (pathBytes > most)
        return dataLoss("the paths of its nodes have more than " +
                        std::to_string(most) + " bytes, " +
                        std::to_string(kMaxPathGrowth) + " times its own");
    }
    std::reverse(way.begin() + ptrdiff_t(begin), way.end());
    return Status();
  }

  /// Names the tensors of a node; `findWay` is asked when it has one.
  template <typename FindWay>
  Status addNames(int node, FindWay findWay, std::string_view suffix = {}) {
    const auto &attributes = graph.nodes(node).attributes();
    if (attributes.empty())
      return Status();
    Components way;
    SMP_RETURN_IF_ERROR(findWay(way));
    const std::string path = join(way, "/") + std::string(suffix);
    for (const auto &attribute : attributes) {
      pathBytes += path.size() + attribute.name().size();
      if (pathBytes > most)
        return dataLoss("the names of its tensors have more than " +
                        std::to_string(most) + " bytes, " +
                        std::to_string(kMaxPathGrowth) + " times its own");
      names.emplace(attribute.checkpoint_key(),
                    ObjectName{attribute.name() == kVariable
                                   ? path
                                   : path + "." + attribute.name(),
                               attribute.full_name()});
    }
    return Status();
  }

  /// What an optimizer keeps for variables, which nothing else leads to.
  Status addSlots(int optimizer) {
    for (const auto &slot : graph.nodes(optimizer).slot_variables()) {
      const int variable = slot.original_variable_node_id();
      SMP_RETURN_IF_ERROR(checkNode(optimizer, variable));
      SMP_RETURN_IF_ERROR(checkNode(optimizer, slot.slot_variable_node_id()));
      auto findWay = [&](Components &way) -> Status {
        SMP_RETURN_IF_ERROR(walk(optimizer, way));
        const auto root = ptrdiff_t(way.size());
        SMP_RETURN_IF_ERROR(walk(variable, way));
        if (way.size() - size_t(root) > 1)
          way.erase(way.begin() + root);
        return Status();
      };
      SMP_RETURN_IF_ERROR(addNames(slot.slot_variable_node_id(), findWay,
                                   "." + slot.slot_name()));
    }
    return Status();
  }

  const proto::ObjectGraph &graph;
  std::vector<Way> ways;  // By node.
  std::vector<int> order; // Of nodes that the root leads to.
  std::map<std::string, ObjectName> names;
  const uint64_t most;
  uint64_t pathBytes = 0;
};

} // namespace

StatusOr<std::map<std::string, ObjectName>>
readObjectGraph(std::string_view bytes) {
  proto::ObjectGraph graph;
  if (bytes.size() > INT32_MAX ||
      !graph.ParseFromArray(bytes.data(), int(bytes.size())))
    return dataLoss("it is no protobuf message");
  return GraphReader(graph, bytes.size()).read();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The names between the slashes.
static std::vector<std::string> componentsOf(std::string_view path) {
  std::vector<std::string> components;
  for (size_t slash; (slash = path.find('/')) != path.npos;
       path.remove_prefix(slash + 1))
    components.emplace_back(path.substr(0, slash));
  components.emplace_back(path);
  return components;
}

std::string keyOfPath(std::string_view path) {
  std::string key;
  for (const char c : path)
    key += c == '.' ? std::string("..") : std::string(1, c);
  return key + "/.ATTRIBUTES/" + std::string(kVariable);
}

std::string formatObjectGraph(std::span<const std::string> paths) {
  proto::ObjectGraph graph;
  std::vector<std::map<std::string, int>> children(1); // By node.
  graph.add_nodes();
  for (const std::string &path : paths) {
    int node = 0;
    for (std::string &name : componentsOf(path)) {
      const int next = graph.nodes_size();
      const auto [at, isNew] = children[size_t(node)].emplace(name, next);
      if (isNew) {
        auto &child = *graph.mutable_nodes(node)->add_children();
        child.set_node_id(next);
        child.set_local_name(std::move(name));
        graph.add_nodes();
      }
      node = at->second;
      children.resize(size_t(graph.nodes_size()));
    }
    auto &attribute = *graph.mutable_nodes(node)->add_attributes();
    attribute.set_name(std::string(kVariable));
    attribute.set_full_name(path);
    attribute.set_checkpoint_key(keyOfPath(path));
  }
  for (auto &node : *graph.mutable_nodes())
    node.mutable_has_checkpoint_values()->set_value(true);
  return graph.SerializeAsString();
}

} // namespace smp
