// SPDX-License-Identifier: Apache-2.0
#include "VerifyParts.h"
#include "smp/model/Alignment.h"
#include "smp/serialization/VerifyProgram.h"
#include <cmath>

namespace smp {

static Status verifySource(const EntryTensor &tensor, const Where &where) {
  SMP_RETURN_IF_ERROR(where.field("source").checkEnum(
      uint8_t(tensor.source), 0, uint8_t(TensorSource::Microbatch)));
  static const TensorType &kNumber = *new TensorType{DType::I64, {1}};
  if (tensor.source == TensorSource::Caller ||
      (tensor.type == kNumber && tensor.batchAxis == 0))
    return Status();
  return where.is("is the number of a microbatch, but a " +
                  toString(tensor.type) + " with batch axis " +
                  std::to_string(tensor.batchAxis) + "; it must be a " +
                  toString(kNumber) + " with batch axis 0");
}

/// Inputs have no join: `last` is Unknown for them.
static Status verifyJoin(const EntryTensor &tensor, Join last,
                         const Where &where) {
  SMP_RETURN_IF_ERROR(
      where.field("join").checkEnum(uint8_t(tensor.join), 0, uint8_t(last)));
  const bool maySplit = tensor.join == Join::Unknown ||
                        tensor.join == Join::Each ||
                        tensor.join == Join::Concat;
  if (tensor.join == Join::Concat ? tensor.batchAxis < 0
                                  : tensor.batchAxis >= 0 && !maySplit)
    return where.field("batchAxis")
        .is("is " + std::to_string(tensor.batchAxis) + " beside join " +
            std::to_string(int(tensor.join)) +
            "; rows are joined along one, nothing else is");
  const bool hasSum = tensor.type.dtype != DType::Bool;
  if ((tensor.join == Join::Sum && !hasSum) ||
      (tensor.join == Join::Mean && !isFloat(tensor.type.dtype)))
    return where.field("join").is("is " + std::to_string(int(tensor.join)) +
                                  " of " + toString(tensor.type) +
                                  "; it has no sum or no mean");
  if ((tensor.join == Join::Mixed) == tensor.mixing.empty())
    return where.field("mixing").is(tensor.mixing.empty()
                                        ? "is empty; it says what mixes rows"
                                        : "is '" + tensor.mixing +
                                              "' where no rows are mixed");
  return Status();
}

static Status verifySignature(const std::vector<EntryTensor> &tensors,
                              const char *list, Join lastJoin,
                              const Where &where) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const EntryTensor &tensor = tensors[i];
    const Where tensorWhere = where.at(list, i);
    SMP_RETURN_IF_ERROR(verifyNewName(tensor.name, names, tensorWhere));
    SMP_RETURN_IF_ERROR(verifyType(tensor.type, tensorWhere.field("type")));
    int64_t rank = int64_t(tensor.type.shape.size());
    if (tensor.batchAxis < -1 || tensor.batchAxis >= rank)
      return tensorWhere.field("batchAxis")
          .is("is " + std::to_string(tensor.batchAxis) + "; -1 to " +
              std::to_string(rank - 1));
    SMP_RETURN_IF_ERROR(verifySource(tensor, tensorWhere));
    SMP_RETURN_IF_ERROR(verifyJoin(tensor, lastJoin, tensorWhere));
  }
  return Status();
}

static Status verifyEntryStages(const Program &program, const Entry &entry,
                                const Where &where) {
  std::set<uint32_t> seen;
  for (size_t i = 0; i < entry.stages.size(); ++i) {
    const Where stageWhere = where.at("stages", i);
    uint32_t stage = entry.stages[i];
    SMP_RETURN_IF_ERROR(
        stageWhere.checkIndex(stage, program.stages.size(), "stages"));
    if (program.stages[stage].unit == Unit::Prepare)
      return stageWhere.is("is " + std::to_string(stage) +
                           ", a prepare stage: those run at load");
    if (!seen.insert(stage).second)
      return stageWhere.is("is " + std::to_string(stage) +
                           ", as an earlier one is");
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

namespace {
/// Checks edge after edge, and in the end that none is missing.
class EdgeVerifier {
public:
  EdgeVerifier(const Program &program, const Entry &entry)
      : program(program), entry(entry) {}

  Status verify(const Edge &edge, const Where &where) {
    SMP_RETURN_IF_ERROR(verifyType(edge.type, where.field("type")));
    if (edge.depth == 0)
      return where.field("depth").is("is 0; at least 1");
    SMP_RETURN_IF_ERROR(where.field("depth").checkMost(edge.depth, kMaxDepth));
    if (!std::isfinite(edge.transferSeconds) || edge.transferSeconds < 0)
      return where.field("transferSeconds").is("is not a time of 0 or more");
    SMP_RETURN_IF_ERROR(
        verifyEnd(edge, edge.from, /*isSource=*/true, where.field("from")));
    if (!sources.emplace(edge.from.stage, edge.from.index).second)
      return where.field("from").is("is that of an earlier edge; one edge "
                                    "lists all who take a tensor");
    if (edge.to.empty())
      return where.field("to").is("is empty; nobody takes the tensor");
    for (size_t i = 0; i < edge.to.size(); ++i) {
      const Where toWhere = where.at("to", i);
      SMP_RETURN_IF_ERROR(
          verifyEnd(edge, edge.to[i], /*isSource=*/false, toWhere));
      SMP_RETURN_IF_ERROR(verifyTarget(edge, edge.to[i], toWhere));
    }
    return Status();
  }

  bool isTaken(size_t position, size_t output) const {
    return sources.count({int32_t(position), uint32_t(output)}) != 0;
  }

  Status verifyComplete(const Where &where) const {
    for (uint32_t s = 0; s < entry.stages.size(); ++s)
      for (uint32_t i = 0; i < stageAt(s).inputs.size(); ++i)
        if (!targets.count({int32_t(s), i}))
          return where.is("has no edge to input " + std::to_string(i) +
                          " of stage " + std::to_string(s) + ", " +
                          quote(stageAt(s).name));
    for (uint32_t i = 0; i < entry.outputs.size(); ++i)
      if (!targets.count({Edge::kCaller, i}))
        return where.at("outputs", i)
            .is("(" + quote(entry.outputs[i].name) + ") has no edge");
    return Status();
  }

private:
  static constexpr uint32_t kMaxDepth = 65536;
  using Key = std::pair<int32_t, uint32_t>;

  const Stage &stageAt(size_t position) const {
    return program.stages[entry.stages[position]];
  }

  /// What the caller gives or takes, or a stage makes or reads, has the type.
  Status verifyEnd(const Edge &edge, const Edge::End &end, bool isSource,
                   const Where &where) const {
    if (end.stage == Edge::kCaller) {
      const std::vector<EntryTensor> &list =
          isSource ? entry.inputs : entry.outputs;
      SMP_RETURN_IF_ERROR(where.field("index").checkIndex(
          end.index, list.size(), isSource ? "inputs" : "outputs"));
      return verifyEqual(edge.type, list[end.index].type, where);
    }
    if (end.stage < 0)
      return where.field("stage").is("is " + std::to_string(end.stage) +
                                     "; -1 is the caller");
    SMP_RETURN_IF_ERROR(where.field("stage").checkIndex(
        uint64_t(end.stage), entry.stages.size(), "stages"));
    const Stage &stage = stageAt(size_t(end.stage));
    const std::vector<TensorType> &list =
        isSource ? stage.outputs : stage.inputs;
    SMP_RETURN_IF_ERROR(where.field("index").checkIndex(
        end.index, list.size(), isSource ? "outputs" : "inputs"));
    return verifyEqual(edge.type, list[end.index], where);
  }

  static Status verifyEqual(const TensorType &edge, const TensorType &end,
                            const Where &where) {
    if (edge == end)
      return Status();
    return where.is("is a " + toString(end) + ", its edge a " + toString(edge));
  }

  Status verifyTarget(const Edge &edge, const Edge::End &end,
                      const Where &where) {
    if (end.stage != Edge::kCaller && end.stage <= edge.from.stage)
      return where.field("stage").is(
          "is " + std::to_string(end.stage) + "; an edge from stage " +
          std::to_string(edge.from.stage) + " must go to a later one");
    if (!targets.emplace(end.stage, end.index).second)
      return where.is("is fed by another edge already");
    return Status();
  }

  const Program &program;
  const Entry &entry;
  std::set<Key> sources, targets;
};

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Bounds what the entry's tensors take of each partition's memory, whatever
/// its devices are like: PartitionLayout adds up no more than this.
class PlaceVerifier {
public:
  PlaceVerifier(const Program &program, const Entry &entry,
                const EdgeVerifier &edges)
      : program(program), entry(entry), edges(edges),
        taken(program.partitions) {}

  Status verify(const Where &where) {
    for (size_t e = 0; e < entry.edges.size(); ++e)
      SMP_RETURN_IF_ERROR(verifyEdge(entry.edges[e], where.at("edges", e)));
    for (size_t position = 0; position < entry.stages.size(); ++position)
      SMP_RETURN_IF_ERROR(
          verifyUntaken(position, where.at("stages", position)));
    return Status();
  }

private:
  const Stage &stageAt(size_t position) const {
    return program.stages[entry.stages[position]];
  }

  Status verifyEdge(const Edge &edge, const Where &where) {
    const bool isInput = edge.from.stage == Edge::kCaller;
    if (!isInput)
      SMP_RETURN_IF_ERROR(
          take(size_t(edge.from.stage), edge.depth, edge.type, where));
    for (const Edge::End &end : edge.to)
      if (end.stage != Edge::kCaller)
        SMP_RETURN_IF_ERROR(take(size_t(end.stage), isInput ? 1 : edge.depth,
                                 edge.type, where));
    return Status();
  }

  Status verifyUntaken(size_t position, const Where &where) {
    const std::vector<TensorType> &outputs = stageAt(position).outputs;
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!edges.isTaken(position, i))
        SMP_RETURN_IF_ERROR(take(position, 1, outputs[i], where));
    return Status();
  }

  Status take(size_t position, uint64_t places, const TensorType &type,
              const Where &where) {
    const uint32_t partition = stageAt(position).partition;
    const uint64_t bytes = alignUp(uint64_t(type.bytes()));
    if (bytes > (kMaxBytes - taken[partition]) / places)
      return where.is(
          "needs " + std::to_string(places) + " x " + std::to_string(bytes) +
          " bytes on partition " + std::to_string(partition) + ", beside " +
          std::to_string(taken[partition]) + " of others; at most " +
          std::to_string(kMaxBytes) + " in all");
    taken[partition] += places * bytes;
    return Status();
  }

  const Program &program;
  const Entry &entry;
  const EdgeVerifier &edges;
  std::vector<uint64_t> taken; ///< Bytes by partition.
};
} // namespace

Status verifyEntry(const Program &program, const Entry &entry,
                   const Where &where) {
  SMP_RETURN_IF_ERROR(where.field("mode").checkEnum(
      uint8_t(entry.mode), uint8_t(Mode::Train), uint8_t(Mode::Global)));
  SMP_RETURN_IF_ERROR(
      verifySignature(entry.inputs, "inputs", Join::Unknown, where));
  SMP_RETURN_IF_ERROR(
      verifySignature(entry.outputs, "outputs", Join::Mixed, where));
  for (size_t i = 0; i < entry.outputs.size(); ++i)
    if (entry.outputs[i].source != TensorSource::Caller)
      return where.at("outputs", i)
          .field("source")
          .is("is 1; only inputs come from the runtime");
  SMP_RETURN_IF_ERROR(verifyEntryStages(program, entry, where));
  EdgeVerifier edges(program, entry);
  for (size_t i = 0; i < entry.edges.size(); ++i)
    SMP_RETURN_IF_ERROR(edges.verify(entry.edges[i], where.at("edges", i)));
  SMP_RETURN_IF_ERROR(edges.verifyComplete(where));
  SMP_RETURN_IF_ERROR(PlaceVerifier(program, entry, edges).verify(where));
  return verifySchedule(program, entry, where);
}

} // namespace smp
