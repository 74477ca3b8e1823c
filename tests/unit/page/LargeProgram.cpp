// SPDX-License-Identifier: Apache-2.0
#include "LargeProgram.h"

namespace smp {

static constexpr unsigned kLayers = 40, kOpsOfModule = 25;
static_assert(kLayers * 2 * kOpsOfModule == kLargeOps);

namespace {
class Enlarger {
public:
  explicit Enlarger(Entry &entry) : graph(entry.graph) {
    graph = {};
    const TensorType type = entry.inputs[0].type;
    uint32_t value = addValue("x", type);
    graph.inputs = {value};
    for (unsigned layer = 0; layer < kLayers; ++layer)
      for (const char *module : {"attention", "mlp"})
        value = addModule("layer" + std::to_string(layer) + "/" + module + "/",
                          value, layer < kLayers / 2 ? 0 : 1);
    graph.outputs.assign(entry.outputs.size(), value);
  }

private:
  uint32_t addValue(const std::string &name, const TensorType &type) {
    graph.values.push_back({name, type});
    return uint32_t(graph.values.size() - 1);
  }

  uint32_t addOp(const std::string &mnemonic, const std::string &name,
                 std::vector<uint32_t> operands, Placement placement) {
    const uint32_t result = addValue(name, graph.values[0].type);
    graph.ops.push_back(
        {name, mnemonic, std::move(operands), {result}, {}, placement});
    return result;
  }

  /// A chain in which each op also reads a bias, and every third one what was
  /// made before the one before.
  uint32_t addModule(const std::string &prefix, uint32_t value,
                     int32_t partition) {
    uint32_t before = value;
    for (unsigned i = 0; i < kOpsOfModule; ++i) {
      const std::string name = prefix + "op" + std::to_string(i);
      const Placement placement{partition, Origin::Solver};
      const uint32_t bias =
          addOp("broadcast", "", {addOp("read", name + "/bias", {}, placement)},
                placement);
      std::vector<uint32_t> operands{value, bias};
      if (i % 3 == 2)
        operands.push_back(before);
      before = value;
      value = addOp("add", name, operands, placement);
      if (name == "layer3/attention/op7") {
        graph.ops.back().placement.origin = Origin::User;
        graph.ops.back().attributes["smp.pin_seconds"] = 0.0025;
      }
    }
    return value;
  }

  Graph &graph;
};
} // namespace

void enlarge(Program &program) { Enlarger{program.entries[0]}; }

} // namespace smp
