// SPDX-License-Identifier: Apache-2.0
#include "PinTable.h"
#include "ModelFile.h"
#include "smp/model/Config.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// Calls `visit` with every node of the list and of the nodes' bodies.
template <typename Nodes, typename Visit>
static void forEachNode(const Nodes &nodes, Visit &visit) {
  for (const onnx::NodeProto &node : nodes) {
    visit(node);
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        forEachNode(attribute.g().node(), visit);
  }
}

bool PinTable::checkConfigurations(const onnx::ModelProto &model,
                                   std::string &error) {
  auto names = configurationNamesOf(model);
  if (!names) {
    error = "its device configurations (field 26) are damaged";
    return false;
  }
  if (!options.configuration.empty() &&
      !llvm::is_contained(*names, options.configuration)) {
    error =
        "has no device configuration '" + options.configuration +
        "'; it has: " + (names->empty() ? "none" : llvm::join(*names, ", "));
    return false;
  }
  if (options.configuration.empty() && names->size() > 1) {
    error = "has several device configurations (" + llvm::join(*names, ", ") +
            "); choose one with --configuration";
    return false;
  }
  configuration = options.configuration;
  if (configuration.empty() && !names->empty())
    configuration = names->front();
  return true;
}

bool PinTable::compilePatterns(std::string &error) {
  for (const Pin &pin : options.pins) {
    auto glob = llvm::GlobPattern::create(pin.pattern, /*MaxSubPatterns=*/1024);
    if (!glob) {
      error = "pin '" + pin.pattern +
              "' is no glob: " + llvm::toString(glob.takeError());
      return false;
    }
    const int64_t bound = count ? count : kMostPartitions;
    if (pin.partition < 0 || pin.partition >= bound) {
      error = "pin '" + pin.pattern + "' names partition " +
              std::to_string(pin.partition) + "; it must be in 0.." +
              std::to_string(bound - 1);
      return false;
    }
    patterns.push_back({std::move(*glob)});
  }
  return true;
}

std::optional<int64_t> PinTable::stageOf(const onnx::NodeProto &node) const {
  auto configurations = deviceConfigurationsOf(node);
  if (!configurations)
    return std::nullopt;
  for (const DeviceConfiguration &candidate : *configurations)
    if (candidate.id == configuration || configuration.empty())
      return candidate.stage;
  return std::nullopt;
}

bool PinTable::prepare(const onnx::ModelProto &model, std::string &error) {
  count = options.partitions;
  if (count < 0 || count > kMostPartitions) {
    error = "the number of partitions is " + std::to_string(count) +
            "; it must be at least 1 and at most " +
            std::to_string(kMostPartitions) + ", or 0: as many as pins name";
    return false;
  }
  if (!checkConfigurations(model, error) || !compilePatterns(error))
    return false;
  int64_t highest = -1;
  auto visit = [&](const onnx::NodeProto &node) {
    std::string where = "node '" + node.name() + "' (" + node.op_type() + ") ";
    auto configurations = deviceConfigurationsOf(node);
    if (!configurations)
      error = where + "has damaged device configurations (field 10)";
    else if (llvm::any_of(*configurations, [](auto &c) { return c.isSharded; }))
      error = where +
              "is sharded over devices, which is not supported; pin whole "
              "nodes with pipeline_stage";
    std::optional<int64_t> stage = stageOf(node);
    if (stage && *stage < 0)
      error = where + "has pipeline_stage " + std::to_string(*stage) +
              "; it must not be negative";
    else if (stage && !count && *stage >= kMostPartitions)
      error = where + "has pipeline_stage " + std::to_string(*stage) +
              "; without a number of partitions it must be in 0.." +
              std::to_string(kMostPartitions - 1);
    highest = std::max(highest, stage.value_or(-1));
  };
  forEachNode(model.graph().node(), visit);
  for (const onnx::FunctionProto &function : model.functions())
    forEachNode(function.node(), visit);
  if (!error.empty())
    return false;
  if (!count)
    for (const Pin &pin : options.pins)
      highest = std::max(highest, pin.partition);
  if (!count && highest >= 0)
    count = highest + 1;
  return true;
}

PlacementAttr PinTable::find(const onnx::NodeProto &node, StringRef name) {
  std::optional<int64_t> partition;
  if (auto stage = stageOf(node))
    partition = *stage % count;
  for (auto [pattern, pin] : llvm::zip(patterns, options.pins)) {
    if (!pattern.glob.match(name))
      continue;
    pattern.hasMatched = true;
    partition = pin.partition;
  }
  return partition ? PlacementAttr::get(context, *partition, ir::Origin::User)
                   : PlacementAttr();
}

std::string PinTable::unmatched() const {
  for (auto [pattern, pin] : llvm::zip(patterns, options.pins))
    if (!pattern.hasMatched)
      return pin.pattern;
  return {};
}

} // namespace smp::frontend
