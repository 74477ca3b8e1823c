// SPDX-License-Identifier: Apache-2.0
#include "Synthetic.h"
#include <random>

namespace smp {

using namespace passes;

namespace {

class Maker {
public:
  explicit Maker(const SyntheticGraph &graph)
      : graph(graph), random(graph.seed), consumers(graph.nodes) {}

  Instance make() {
    instance.accelerators = graph.devices;
    instance.problem = PartitionProblem(graph.devices);
    for (uint32_t node = 0; node < graph.nodes; ++node)
      addNode(node);
    for (uint32_t node = 0; node < graph.nodes; ++node)
      if (!consumers[node].empty()) {
        const double cost = 0.02 + 0.3 * unit() * unit();
        instance.problem.addTensor({node, std::move(consumers[node]), cost});
      }
    const double each = double(bytes) / graph.devices;
    instance.problem.setMemoryLimit(int64_t(1.25 * each));
    return std::move(instance);
  }

private:
  /// Even in [0, 1); the same everywhere.
  double unit() { return double(random() >> 11) * 0x1p-53; }
  uint32_t below(uint32_t count) { return uint32_t(unit() * count); }

  void addNode(uint32_t node) {
    PartitionItem item;
    item.name = "node " + std::to_string(node);
    const double u = unit();
    item.seconds = 0.01 + u * u * u * u;
    item.residentBytes = int64_t(0x1p20 * (1 + 9 * unit()));
    bytes += item.residentBytes;
    instance.problem.addItem(std::move(item));
    instance.ids.push_back(node);
    instance.items[node] = node;
    const uint32_t layer = node / graph.width, place = node % graph.width;
    for (uint32_t k = layer ? 1 + below(3) : 0; k > 0; --k) {
      const bool isFar = below(20) == 0 && layer > 1;
      const uint32_t from = layer - 1 - isFar;
      const uint32_t near =
          (place + below(5) + graph.width * 2 - 2) % graph.width;
      consumers[from * graph.width + near].push_back(node);
    }
  }

  const SyntheticGraph &graph;
  std::mt19937_64 random;
  std::vector<std::vector<uint32_t>> consumers;
  int64_t bytes = 0;
  Instance instance;
};

} // namespace

Instance makeSynthetic(const SyntheticGraph &graph) {
  return Maker(graph).make();
}

} // namespace smp
