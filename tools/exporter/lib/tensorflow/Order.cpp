// SPDX-License-Identifier: Apache-2.0
#include "OrderedBits.h"
#include "TensorFlowTables.h"

namespace smp::tensorflow {

/// The axis last; its own inverse.
static std::vector<int64_t> axisLast(int64_t rank, int64_t axis) {
  std::vector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    order.push_back(dim);
  if (axis >= 0 && axis < rank)
    std::swap(order[size_t(axis)], order.back());
  return order;
}

/// What is sorted, greatest first, of equal ones the first first. Floats are so
/// as integers: zeros of both signs are equal, and NaNs the greatest.
static std::string sortKeys(Call &call, const std::string &values) {
  std::string keys = values;
  if (isFloat(call.dtype())) {
    const std::string zero = call.scalar(0);
    const std::string isZero = call.make("Equal", {values, zero});
    keys = orderedBits(call, call.make("SelectV2", {isZero, zero, values}),
                       /*isNanGreatest=*/true);
  }
  return call.integer("largest") ? keys : call.make("Invert", {keys});
}

static std::string topK(Call &call) {
  const auto rank = int64_t(call.shape(0).size());
  if (rank == 0)
    return "of rank 0";
  const std::vector<int64_t> order = axisLast(rank, call.integer("axis"));
  const std::string values = call.transposed(call.operand(0), order);
  const std::string k =
      call.nodes().scalar(DType::I32, double(call.integer("k")));
  const std::string indices = call.make("TopKV2", {sortKeys(call, values), k},
                                        {{"index_type", DType::I64}}) +
                              ":1";
  const std::string chosen =
      call.make("GatherV2", {values, indices, scalarIndex(call, rank - 1)},
                {{"batch_dims", rank - 1}});
  call.giveResult(0, {"Identity", {call.transposed(chosen, order)}});
  call.giveResult(1, {"Identity", {call.transposed(indices, order)}});
  return {};
}

void addOrder(Table &table) { table.insert({{"top_k", topK}}); }

} // namespace smp::tensorflow
