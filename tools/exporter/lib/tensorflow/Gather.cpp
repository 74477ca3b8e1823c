// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters, by tuples of indices.
#include "OrderedBits.h"
#include "TensorFlowTables.h"

namespace smp::tensorflow {

/// "" or that a tuple has more indices than TensorFlow's have.
static std::string checkTuples(int64_t indices) {
  return indices > 7 ? "by " + std::to_string(indices) + " indices" : "";
}

static std::string gather(Call &call) {
  call.give("GatherV2", {call.operand(0), call.operand(1),
                         scalarIndex(call, call.integer("axis"))});
  return {};
}

/// The indices as i64.
static std::string longIndices(Call &call) {
  return call.cast(call.operand(1), call.type(1).dtype, DType::I64);
}

/// The tuple of each index: where it is, but along the axis itself.
static std::string tuplesAlong(Call &call) {
  const Shape &shape = call.shape(1);
  const int64_t axis = call.integer("axis"), rank = int64_t(shape.size());
  Names places;
  for (int64_t dim = 0; dim < rank; ++dim)
    places.push_back(dim == axis
                         ? longIndices(call)
                         : exporter::count(call, {DType::I64, shape}, dim));
  return call.make("Pack", places, {{"N", rank}, {"axis", rank}});
}

static std::string gatherElements(Call &call) {
  call.give("GatherNd", {call.operand(0), tuplesAlong(call)});
  return checkTuples(int64_t(call.shape(1).size()));
}

/// TensorFlow's tuples have the places in the batch, too.
static std::string gatherNd(Call &call) {
  const int64_t batch = call.integer("batch_dims");
  if (batch < 0 || batch >= int64_t(call.shape(1).size()))
    return "of no tuples";
  Shape one = call.shape(1);
  one.back() = 1;
  Names places;
  for (int64_t dim = 0; dim < batch; ++dim)
    places.push_back(exporter::count(call, {DType::I64, one}, dim));
  if (places.empty() && call.shape(1).back() == 0) {
    call.give(call.nodes().expand(call.operand(0), call.result().shape));
    return {};
  }
  places.push_back(longIndices(call));
  const std::string tuples =
      places.size() == 1
          ? places.front()
          : call.make(concatenated(call, places, int64_t(one.size()) - 1));
  call.give("GatherNd", {call.operand(0), tuples});
  return checkTuples(batch + call.shape(1).back());
}

/// Floats meet as integers in the same order, where NaN is beyond all: what
/// TensorFlow's extremes do with a NaN is left open.
static void giveExtreme(Call &call, const char *node,
                        const std::string &tuples) {
  if (!isFloat(call.dtype())) {
    call.give(node, {call.operand(0), tuples, call.operand(2)});
    return;
  }
  const bool isMax = call.word("kind", "") == "max";
  const std::string met =
      call.make(node, {orderedBits(call, call.operand(0), isMax), tuples,
                       orderedBits(call, call.operand(2), isMax)});
  call.give(fromOrderedBits(call, met));
}

static std::string scatter(Call &call, const std::string &tuples) {
  const std::string kind = call.word("kind", "replace");
  if (kind == "replace")
    call.give("TensorScatterUpdate",
              {call.operand(0), tuples, call.operand(2)});
  else if (kind == "max")
    giveExtreme(call, "TensorScatterMax", tuples);
  else if (kind == "min")
    giveExtreme(call, "TensorScatterMin", tuples);
  else if (kind == "sum") {
    call.computeIn(exporter::withoutHalves(call.dtype()));
    call.give("TensorScatterAdd", {call.operand(0), tuples, call.operand(2)});
  } else
    return "of kind " + kind;
  return {};
}

static std::string scatterElements(Call &call) {
  if (std::string why = checkTuples(int64_t(call.shape(1).size()));
      !why.empty())
    return why;
  return scatter(call, tuplesAlong(call));
}

static std::string scatterNd(Call &call) {
  if (call.shape(1).empty() || call.shape(1).back() == 0)
    return "of empty tuples";
  if (std::string why = checkTuples(call.shape(1).back()); !why.empty())
    return why;
  return scatter(call, longIndices(call));
}

void addGather(Table &table) {
  table.insert({{"gather", gather},
                {"gather_elements", gatherElements},
                {"gather_nd", gatherNd},
                {"scatter_elements", scatterElements},
                {"scatter_nd", scatterNd}});
}

} // namespace smp::tensorflow
