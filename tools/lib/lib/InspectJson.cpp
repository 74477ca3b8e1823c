// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/PartitionLayout.h"
#include "smp/tools/Inspect.h"
#include "smp/tools/Words.h"
#include <nlohmann/json.hpp>

namespace smp {

using json = nlohmann::ordered_json;

/// Calls `convert` with each item of a list.
template <typename Items, typename Convert>
static json listOf(const Items &items, Convert convert) {
  json list = json::array();
  for (const auto &item : items)
    list.push_back(convert(item));
  return list;
}

static json toJson(const TensorType &type) {
  return {{"dtype", toString(type.dtype)}, {"shape", type.shape}};
}

static json describe(const EntryTensor &tensor) {
  json result = {{"name", tensor.name}, {"type", toJson(tensor.type)}};
  result["batch_axis"] =
      tensor.batchAxis < 0 ? json(nullptr) : json(tensor.batchAxis);
  return result;
}

static json inputToJson(const EntryTensor &tensor) {
  json result = describe(tensor);
  result["source"] =
      tensor.source == TensorSource::Microbatch ? "microbatch" : "caller";
  return result;
}

static json outputToJson(const EntryTensor &tensor) {
  json result = describe(tensor);
  result["join"] = toString(tensor.join);
  if (!tensor.mixing.empty())
    result["mixing"] = tensor.mixing;
  return result;
}

static json toJson(const Edge::End &end) {
  json result;
  result["stage"] =
      end.stage == Edge::kCaller ? json(nullptr) : json(end.stage);
  result["index"] = end.index;
  return result;
}

static json toJson(const Edge &edge) {
  return {{"type", toJson(edge.type)},
          {"from", toJson(edge.from)},
          {"to", listOf(edge.to, [](const auto &end) { return toJson(end); })},
          {"depth", edge.depth}};
}

static json stageToJson(const Program &program, uint32_t index) {
  const Stage &stage = program.stages[index];
  json launches = json::array();
  for (const Launch &launch : stage.launches)
    launches.push_back({{"kernel", program.kernels[launch.kernel].name},
                        {"ops", launch.opNames}});
  return {{"name", stage.name},
          {"partition", stage.partition},
          {"unit", wordOf(stage.unit)},
          {"predicted_ms", stage.predictedSeconds * 1e3},
          {"arena_bytes", stage.arenaBytes},
          {"launches", std::move(launches)}};
}

static json opToJson(const Graph &graph, const GraphOp &op) {
  json result = {{"name", op.name}, {"mnemonic", op.mnemonic}};
  result["partition"] = op.placement.partition == Placement::kAll
                            ? json("all")
                            : json(op.placement.partition);
  result["origin"] = wordOf(op.placement.origin);
  result["results"] = listOf(op.results, [&](uint32_t value) {
    return json{{"name", graph.values[value].name},
                {"type", toJson(graph.values[value].type)}};
  });
  return result;
}

static json entryToJson(const Program &program, const Entry &entry) {
  json predicted = json::array();
  for (uint32_t microbatches : shownMicrobatches(entry))
    predicted.push_back(
        {{"microbatches", microbatches},
         {"ms", predictSeconds(program, entry, microbatches) * 1e3}});
  return {
      {"name", entry.name},
      {"mode", toString(entry.mode)},
      {"microbatches",
       entry.microbatches ? json(entry.microbatches) : json(nullptr)},
      {"schedule", entry.schedule},
      {"lags", entry.lags},
      {"twin_of",
       entry.twin ? json(program.entries[entry.twin->of].name) : json(nullptr)},
      {"inputs", listOf(entry.inputs, inputToJson)},
      {"outputs", listOf(entry.outputs, outputToJson)},
      {"stages", listOf(entry.stages,
                        [&](uint32_t s) { return stageToJson(program, s); })},
      {"edges", listOf(entry.edges, [](const Edge &e) { return toJson(e); })},
      {"predicted", std::move(predicted)},
      {"ops", listOf(entry.graph.ops, [&](const GraphOp &op) {
         return opToJson(entry.graph, op);
       })}};
}

static json variantToJson(const KernelVariant &variant) {
  json result = {{"target", variant.target},
                 {"level", variant.level},
                 {"symbol", variant.symbol},
                 {"grid", {variant.grid[0], variant.grid[1], variant.grid[2]}},
                 {"scratch_bytes", variant.scratchBytes}};
  if (const auto &blocks = variant.blocks) {
    result["threads"] = blocks->threads;
    result["cluster"] = blocks->cluster;
    result["shared_bytes"] = blocks->sharedBytes;
    result["workspace_bytes"] = blocks->workspaceBytes;
    result["fault_records"] = blocks->faultRecords;
  }
  return result;
}

static json kernelToJson(const Kernel &kernel) {
  return {{"name", kernel.name},
          {"buffers", kernel.numBuffers},
          {"outputs", kernel.numOutputs},
          {"variants", listOf(kernel.variants, variantToJson)}};
}

static json variableToJson(const Variable &variable) {
  return {{"name", variable.name},
          {"type", toJson(variable.type)},
          {"kind", wordOf(variable.kind)}};
}

static json memoryToJson(const PartitionMemory &memory, uint32_t partition) {
  return {{"partition", partition},
          {"variables_bytes", memory.variables},
          {"rollback_bytes", memory.rollback},
          {"prepared_bytes", memory.prepared},
          {"constants_bytes", memory.constants},
          {"arena_bytes", memory.arena},
          {"channels_bytes", memory.channels},
          {"workspace_bytes", memory.workspace},
          {"total_bytes", memory.total()},
          {"imported_bytes", memory.imported},
          {"scratch_bytes_per_thread", memory.scratch}};
}

static json imagesToJson(const Program &program) {
  json images = json::array();
  for (size_t i = 0; i < program.images.size(); ++i) {
    json image = {{"kind", toString(imageKind(program, i))},
                  {"bytes", program.images[i].size()}};
    if (imageKind(program, i) == ImageKind::Cubin) {
      image["ptx"] = program.imageInfos[i].ptx;
      image["architecture"] = program.imageInfos[i].architecture;
    }
    images.push_back(std::move(image));
  }
  return images;
}

static json partToJson(const FilePart &part) {
  return {{"part", part.name}, {"offset", part.offset}, {"bytes", part.bytes}};
}

std::string inspectJson(const Program &program, const FileState &file) {
  json memory = json::array();
  for (const PartitionMemory &partition : memoryOf(program))
    memory.push_back(memoryToJson(partition, uint32_t(memory.size())));
  json result = {{"producer", program.producer},
                 {"partitions", program.partitions},
                 {"weights",
                  {{"bytes", program.weights.size},
                   {"file", program.weights.file},
                   {"there", file.hasWeights}}},
                 {"variables", listOf(program.variables, variableToJson)},
                 {"entries", listOf(program.entries,
                                    [&](const Entry &entry) {
                                      return entryToJson(program, entry);
                                    })},
                 {"memory", std::move(memory)},
                 {"kernels", listOf(program.kernels, kernelToJson)},
                 {"images", imagesToJson(program)},
                 {"file", listOf(file.parts, partToJson)}};
  // Names come from models: bytes that are no UTF-8 are replaced.
  return result.dump(2, ' ', /*ensure_ascii=*/false,
                     json::error_handler_t::replace) +
         "\n";
}

} // namespace smp
