// SPDX-License-Identifier: Apache-2.0
#include "OnnxTables.h"

namespace smp::onnx {

static std::string gather(Call &call) {
  call.give("Gather", call.operands(), {{"axis", call.integer("axis")}});
  return {};
}

static std::string gatherElements(Call &call) {
  call.give("GatherElements", call.operands(),
            {{"axis", call.integer("axis")}});
  return {};
}

/// ONNX has tuples of i64 only.
static Names withLongIndices(Call &call) {
  Names inputs = call.operands();
  if (inputs.size() < 2)
    inputs.resize(2);
  inputs[1] = call.cast(call.operand(1), call.type(1).dtype, DType::I64);
  return inputs;
}

static std::string gatherNd(Call &call) {
  call.give("GatherND", withLongIndices(call),
            {{"batch_dims", call.integer("batch_dims")}});
  return {};
}

/// ONNX's word for how an update meets an element.
static std::string reductionOf(const Call &call) {
  const std::string kind = call.word("kind", "replace");
  return kind == "replace" ? "none"
         : kind == "sum"   ? "add"
         : kind == "prod"  ? "mul"
                           : kind;
}

static std::string scatterElements(Call &call) {
  call.give("ScatterElements", call.operands(),
            {{"axis", call.integer("axis")}, {"reduction", reductionOf(call)}});
  return {};
}

static std::string scatterNd(Call &call) {
  call.give("ScatterND", withLongIndices(call),
            {{"reduction", reductionOf(call)}});
  return {};
}

static std::string topK(Call &call) {
  call.give(
      "TopK", {call.operand(0), call.nodes().ints({call.integer("k")})},
      {{"axis", call.integer("axis")}, {"largest", call.integer("largest")}});
  return {};
}

void addIndexing(Table &table) {
  table.insert({{"gather", gather},
                {"gather_elements", gatherElements},
                {"gather_nd", gatherNd},
                {"scatter_elements", scatterElements},
                {"scatter_nd", scatterNd},
                {"top_k", topK}});
}

} // namespace smp::onnx
