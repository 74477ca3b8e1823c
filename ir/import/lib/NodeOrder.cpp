// SPDX-License-Identifier: Apache-2.0
// Producers before users, otherwise the model's own order.

#include "Importer.h"
#include "OpTable.h"
#include <queue>

namespace smp::frontend {

/// Calls `visit` with every name that the node reads, in its bodies too, or
/// that a gradient speaks of.
template <typename Visit>
static void forEachRead(const onnx::NodeProto &node, Visit &visit) {
  for (const std::string &name : node.input())
    visit(name);
  const bool isGradient =
      node.domain() == kTrainingDomain && node.op_type() == "Gradient";
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (isGradient) {
      visit(attribute.s());
      for (const std::string &name : attribute.strings())
        visit(name);
    }
    if (!attribute.has_g())
      continue;
    for (const onnx::NodeProto &inner : attribute.g().node())
      forEachRead(inner, visit);
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      visit(output.name());
  }
}

std::optional<std::vector<int>> orderNodes(const NodeList &nodes,
                                           std::string &error) {
  llvm::StringMap<int> producers;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &name : nodes.Get(i).output())
      if (!name.empty())
        producers.try_emplace(name, i);

  std::vector<std::vector<int>> users(nodes.size());
  std::vector<int> waitsFor(nodes.size(), 0);
  for (int i = 0; i < nodes.size(); ++i) {
    auto visit = [&](const std::string &name) {
      auto it = producers.find(name);
      if (name.empty() || it == producers.end())
        return;
      users[it->second].push_back(i);
      ++waitsFor[i];
    };
    forEachRead(nodes.Get(i), visit);
  }

  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i)
    if (!waitsFor[i])
      ready.push(i);
  std::vector<int> order;
  while (!ready.empty()) {
    int i = ready.top();
    ready.pop();
    order.push_back(i);
    for (int user : users[i])
      if (--waitsFor[user] == 0)
        ready.push(user);
  }
  if (order.size() == size_t(nodes.size()))
    return order;
  for (int i = 0; i < nodes.size(); ++i) {
    if (!waitsFor[i])
      continue;
    const onnx::NodeProto &node = nodes.Get(i);
    error =
        "node '" + node.name() + "' (" + node.op_type() +
        ") needs its own result: the graph has a cycle through it or before it";
    break;
  }
  return std::nullopt;
}

} // namespace smp::frontend
