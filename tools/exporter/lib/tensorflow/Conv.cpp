// SPDX-License-Identifier: Apache-2.0
// Convolutions. TensorFlow's have the features last, in the filter too.
#include "Padding.h"
#include "TensorFlowTables.h"

namespace smp::tensorflow {

using Ints = std::vector<int64_t>;

static bool isLast(const Call &call) {
  return call.word("layout", "channels_first") == "channels_last";
}

/// [batch, spatial..., features] of a rank, in the order of the op's input.
static Ints lastOf(const Call &call, int64_t rank) {
  Ints order{0};
  for (int64_t dim = 1; dim < rank; ++dim)
    order.push_back(isLast(call) || dim == rank - 1 ? dim : dim + 1);
  if (!isLast(call))
    order.back() = 1;
  return order;
}

/// The way back.
static Ints inverse(const Ints &order) {
  Ints back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[size_t(order[i])] = int64_t(i);
  return back;
}

static Shape arranged(const Shape &shape, const Ints &order) {
  Shape result;
  for (const int64_t dim : order)
    result.push_back(shape[size_t(dim)]);
  return result;
}

/// Why TensorFlow has no such convolution; "" where it has.
static std::string check(const Call &call, size_t spatial) {
  if (call.dtype() == DType::I64 || call.dtype() == DType::U64)
    return "of integers of 64 bits";
  if (spatial == 0)
    return "without spatial dimensions";
  if (spatial > 3)
    return "over " + std::to_string(spatial) + " dimensions";
  if (spatial == 3 && !isFloat(call.dtype()))
    return "of integers over 3 dimensions";
  if (spatial == 3 && call.integer("groups") != 1)
    return "in groups over 3 dimensions";
  for (const char *list : {"strides", "low", "high", "dilations"})
    if (call.ints(list).size() != spatial)
      return std::string("without a number in '") + list + "' per dimension";
  if (call.shape(1).size() != spatial + 2)
    return "with a filter of rank " + std::to_string(call.shape(1).size());
  if (call.result().shape.size() != spatial + 2)
    return "with a result of rank " +
           std::to_string(call.result().shape.size());
  return {};
}

/// One number per dimension, of which TensorFlow wants two at least.
static Ints perDimension(const Ints &spatial) {
  Ints all{1};
  if (spatial.size() == 1)
    all.push_back(1);
  all.insert(all.end(), spatial.begin(), spatial.end());
  all.push_back(1);
  return all;
}

static std::string conv(Call &call) {
  const size_t rank = call.shape(0).size(), spatial = rank < 2 ? 0 : rank - 2;
  if (std::string why = check(call, spatial); !why.empty())
    return why;
  const DType type = call.dtype();
  call.computeIn(isFloat(type) ? exporter::withoutHalves(type) : DType::I32);
  if (call.result().elements() == 0 || numElements(call.shape(1)) == 0) {
    call.give(call.nodes().expand(call.scalar(0), call.result().shape));
    return {};
  }
  const Ints order = lastOf(call, int64_t(rank));
  Padding padding(call.transposed(call.operand(0), order),
                  arranged(call.shape(0), order));
  for (size_t i = 0; i < spatial; ++i)
    padding.set(1 + i, call.ints("low")[i], call.ints("high")[i]);
  std::string input = padding.make(call, call.scalar(0));
  Ints filterOrder;
  for (size_t dim = 2; dim < rank; ++dim)
    filterOrder.push_back(int64_t(dim));
  filterOrder.insert(filterOrder.end(), {1, 0});
  std::string filter = call.transposed(call.operand(1), filterOrder);
  if (spatial == 1) {
    Shape in = padding.shape(), window = arranged(call.shape(1), filterOrder);
    in.insert(in.begin() + 1, 1);
    window.insert(window.begin(), 1);
    input = call.reshaped(input, {}, in);
    filter = call.reshaped(filter, {}, window);
  }
  std::string value =
      call.make(spatial == 3 ? "Conv3D" : "Conv2D", {input, filter},
                {{"strides", perDimension(call.ints("strides"))},
                 {"padding", std::string("VALID")},
                 {"dilations", perDimension(call.ints("dilations"))}});
  if (spatial == 1)
    value = call.reshaped(value, {}, arranged(call.result().shape, order));
  call.give("Identity", {call.transposed(value, inverse(order))});
  return {};
}

void addConv(Table &table) { table.insert({{"conv", conv}}); }

} // namespace smp::tensorflow
