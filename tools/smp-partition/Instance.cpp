// SPDX-License-Identifier: Apache-2.0
#include "Instance.h"
#include "JsonMembers.h"
#include <algorithm>
#include <optional>
#include <queue>

namespace smp {

using namespace passes;

namespace {

constexpr size_t kDeepest = 8;

/// How devices are connected, as kinds of links.
enum Link : uint32_t { kBetweenAccelerators, kToCpu, kFromCpu, kBetweenCpus };

struct Node {
  int64_t id = 0;
  PartitionItem item;
  bool isSupported = true; ///< On accelerators.
  std::optional<int64_t> colour;
  double cost = 0; ///< Of its output.
  std::vector<uint32_t> consumers;
};

class InstanceReader {
public:
  StatusOr<Instance> read(std::string_view text) {
    SMP_ASSIGN_OR_RETURN(const JsonTree root, parseJsonObject(text, kDeepest));
    const JsonMembers members(root, "the instance");
    SMP_ASSIGN_OR_RETURN(instance.accelerators, members.devices("maxFPGAs"));
    SMP_ASSIGN_OR_RETURN(instance.cpus, members.devices("maxCPUs"));
    SMP_ASSIGN_OR_RETURN(const int64_t limit, members.bytes("maxSizePerFPGA"));
    SMP_ASSIGN_OR_RETURN(const auto listed, members.list("nodes"));
    for (const JsonTree &node : listed)
      SMP_RETURN_IF_ERROR(addNode(node));
    SMP_ASSIGN_OR_RETURN(const auto edges, members.list("edges"));
    for (const JsonTree &edge : edges)
      SMP_RETURN_IF_ERROR(addEdge(edge));
    describeDevices(limit);
    makeItems();
    return std::move(instance);
  }

private:
  Status addNode(const JsonTree &json) {
    SMP_ASSIGN_OR_RETURN(
        const int64_t id,
        JsonMembers(json, "nodes[" + std::to_string(nodes.size()) + "]")
            .whole("id"));
    const std::string name = "node " + std::to_string(id);
    const JsonMembers members(json, name);
    if (!numberOf.emplace(id, uint32_t(nodes.size())).second)
      return invalidArgument(name + " is there twice");
    Node node;
    node.id = id;
    node.item.name = members.text("name", name);
    SMP_ASSIGN_OR_RETURN(const double onAccelerator,
                         members.number("fpgaLatency"));
    SMP_ASSIGN_OR_RETURN(const double onCpu, members.number("cpuLatency"));
    node.item.secondsOfKind = {onAccelerator, onCpu};
    SMP_ASSIGN_OR_RETURN(node.item.residentBytes, members.bytes("size"));
    SMP_ASSIGN_OR_RETURN(node.isSupported,
                         members.flag("supportedOnFpga", true));
    SMP_ASSIGN_OR_RETURN(node.item.isBackward,
                         members.flag("isBackwardNode", false));
    if (members.has("colorClass")) {
      SMP_ASSIGN_OR_RETURN(node.colour, members.whole("colorClass"));
    }
    if (!node.isSupported && instance.cpus == 0)
      return invalidArgument(name + " is not supported on accelerators, and "
                                    "there are no CPUs; set maxCPUs to 1 or "
                                    "more, or supportedOnFpga to true");
    nodes.push_back(std::move(node));
    return Status();
  }

  Status addEdge(const JsonTree &json) {
    const JsonMembers members(json,
                              "edges[" + std::to_string(numEdges++) + "]");
    SMP_ASSIGN_OR_RETURN(const int64_t source, members.whole("sourceId"));
    SMP_ASSIGN_OR_RETURN(const int64_t target, members.whole("destId"));
    const std::string name = "the edge from " + std::to_string(source) +
                             " to " + std::to_string(target);
    for (int64_t id : {source, target})
      if (!numberOf.contains(id))
        return invalidArgument(name + " names node " + std::to_string(id) +
                               ", which is not there");
    SMP_ASSIGN_OR_RETURN(const double cost,
                         JsonMembers(json, name).number("cost"));
    if (cost < 0)
      return invalidArgument(name + " costs " + std::to_string(cost) +
                             "; costs are numbers of at least 0");
    Node &node = nodes[numberOf[source]];
    node.cost = std::max(node.cost, cost);
    node.consumers.push_back(numberOf[target]);
    return Status();
  }

  void describeDevices(int64_t limit) {
    const uint32_t count = instance.accelerators + instance.cpus;
    instance.problem = PartitionProblem(count);
    auto isCpu = [&](uint32_t p) { return p >= instance.accelerators; };
    for (uint32_t p = 0; p < count; ++p) {
      instance.problem.setKind(p, isCpu(p));
      if (!isCpu(p))
        instance.problem.setMemoryLimit(p, limit);
      for (uint32_t q = 0; q < count && instance.cpus > 0; ++q)
        instance.problem.setLink(p, q,
                                 isCpu(p) ? (isCpu(q) ? kBetweenCpus : kFromCpu)
                                 : isCpu(q) ? kToCpu
                                            : kBetweenAccelerators);
    }
  }

  /// Producers first, of those that may be next the first in the file. Nodes
  /// that wait for each other come last: who solves the problem names them.
  std::vector<uint32_t> orderNodes() const {
    std::vector<uint32_t> waitsFor(nodes.size());
    for (const Node &node : nodes)
      for (uint32_t consumer : node.consumers)
        ++waitsFor[consumer];
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t n = 0; n < nodes.size(); ++n)
      if (waitsFor[n] == 0)
        ready.push(n);
    std::vector<uint32_t> order;
    while (!ready.empty()) {
      order.push_back(ready.top());
      ready.pop();
      for (uint32_t consumer : nodes[order.back()].consumers)
        if (--waitsFor[consumer] == 0)
          ready.push(consumer);
    }
    for (uint32_t n = 0; n < nodes.size(); ++n)
      if (waitsFor[n] > 0)
        order.push_back(n);
    return order;
  }

  void makeItems() {
    const std::vector<uint32_t> order = orderNodes();
    std::vector<uint32_t> itemOf(nodes.size());
    std::map<int64_t, uint32_t> firstOfColour;
    for (uint32_t n : order) {
      Node &node = nodes[n];
      if (!node.isSupported)
        for (uint32_t c = 0; c < instance.cpus; ++c)
          node.item.allowed.push_back(instance.accelerators + c);
      node.item.secondsOfKind.resize(instance.problem.getNumKinds());
      itemOf[n] = instance.problem.addItem(std::move(node.item));
      instance.ids.push_back(node.id);
      instance.items[node.id] = itemOf[n];
      if (!node.colour)
        continue;
      auto [first, isNew] = firstOfColour.try_emplace(*node.colour, itemOf[n]);
      if (!isNew)
        instance.problem.colocate(first->second, itemOf[n],
                                  "colour " + std::to_string(*node.colour));
    }
    for (uint32_t n : order)
      addTensor(nodes[n], itemOf[n], itemOf);
  }

  void addTensor(const Node &node, uint32_t item,
                 const std::vector<uint32_t> &itemOf) {
    if (node.consumers.empty())
      return;
    PartitionProblem::Tensor tensor;
    tensor.producer = item;
    tensor.seconds = node.cost;
    for (uint32_t consumer : node.consumers)
      tensor.consumers.push_back(itemOf[consumer]);
    const double cost = node.cost;
    if (instance.cpus > 0)
      tensor.costOfLink = {{cost, cost, 0}, {cost, 0, 0}, {0, cost, 0}, {}};
    instance.problem.addTensor(std::move(tensor));
  }

  Instance instance;
  std::vector<Node> nodes; ///< In the file's order.
  std::map<int64_t, uint32_t> numberOf;
  size_t numEdges = 0;
};

} // namespace

StatusOr<Instance> parseInstance(std::string_view text) {
  return InstanceReader().read(text);
}

} // namespace smp
