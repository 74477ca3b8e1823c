// SPDX-License-Identifier: Apache-2.0
#include "Padding.h"
#include "TensorFlowTables.h"
#include <limits>

namespace smp::tensorflow {

using Ints = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

static const char *nodeOf(const std::string &kind, DType type) {
  if (kind == "max")
    return type == DType::Bool ? "Any" : "Max";
  if (kind == "min")
    return type == DType::Bool ? "All" : "Min";
  if (kind == "prod")
    return "Prod";
  return kind == "sum" || kind == "sum_squares" ? "Sum" : nullptr;
}

static std::string reduce(Call &call) {
  const std::string kind = call.word("kind", "sum");
  const char *node = nodeOf(kind, call.dtype());
  if (!node)
    return "of kind " + kind;
  if (isFloat(call.dtype()))
    call.computeIn(kind == "prod" ? DType::F64
                                  : exporter::withoutHalves(call.dtype()));
  std::string value = call.operand(0);
  if (kind == "sum_squares")
    value = call.make("Mul", {value, value});
  const Ints &axes = call.ints("dimensions");
  if (axes.empty())
    call.give("Identity", {value});
  else
    call.give(node, {value, call.nodes().ints(axes)});
  return {};
}

//===----------------------------------------------------------------------===//
// arg_reduce
//===----------------------------------------------------------------------===//

/// The first such place, or the last: that of the reversed input, counted from
/// behind.
static std::string placeOf(Call &call, const char *node) {
  const int64_t axis = call.integer("axis");
  const std::string at = scalarIndex(call, axis), x = call.operand(0);
  const Attributes attributes = {{"output_type", DType::I64}};
  if (!call.integer("select_last"))
    return call.make(node, {x, at}, attributes);
  const std::string back =
      call.make("ReverseV2", {x, call.nodes().ints({axis})});
  return call.make("Sub", {scalarIndex(call, call.size(0, axis) - 1),
                           call.make(node, {back, at}, attributes)});
}

/// TensorFlow passes NaNs by, of which the first wins here.
static std::string argReduce(Call &call) {
  if (call.shape(0).size() > 7) // ArgMax has no more.
    return "of rank " + std::to_string(call.shape(0).size());
  const std::string place =
      placeOf(call, call.word("kind", "max") == "max" ? "ArgMax" : "ArgMin");
  if (!isFloat(call.dtype())) {
    call.give("Identity", {place});
    return {};
  }
  const std::string isNan = call.make("IsNan", {call.operand(0)});
  const std::string first =
      call.make("ArgMax",
                {call.make(call.nodes().cast(isNan, DType::U8)),
                 scalarIndex(call, call.integer("axis"))},
                {{"output_type", DType::I64}});
  const std::string hasNan =
      call.make("Any", {isNan, call.nodes().ints({call.integer("axis")})});
  call.give("SelectV2", {hasNan, first, place});
  return {};
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

/// The value moved along the axis by `by` places, with `fill` before it.
static std::string moved(Call &call, const std::string &value, int64_t by,
                         const std::string &fill) {
  Padding padding(value, call.shape(0));
  padding.set(size_t(call.integer("axis")), by, -by);
  return padding.make(call, fill);
}

/// TensorFlow has no running extremes: each element meets those 1, 2, 4, ...
/// places before it.
static std::string scanExtreme(Call &call, const char *node, double neutral) {
  const int64_t axis = call.integer("axis"), size = call.size(0, axis);
  if (call.shape(0).size() > 6) // PadV2 has no more.
    return "of rank " + std::to_string(call.shape(0).size());
  const std::string axes = call.nodes().ints({axis}),
                    fill = call.scalar(neutral);
  const bool isReverse = call.integer("reverse") != 0;
  std::string value = call.operand(0);
  if (isReverse)
    value = call.make("ReverseV2", {value, axes});
  if (call.integer("exclusive") && size > 0)
    value = moved(call, value, 1, fill);
  for (int64_t by = 1; by < size; by *= 2)
    value = call.make(node, {value, moved(call, value, by, fill)});
  call.give(isReverse ? exporter::Node{"ReverseV2", {value, axes}}
                      : exporter::Node{"Identity", {value}});
  return {};
}

static std::string scan(Call &call) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string kind = call.word("kind", "sum");
  if (kind == "max")
    return scanExtreme(call, "Maximum", -kInfinity);
  if (kind == "min")
    return scanExtreme(call, "Minimum", kInfinity);
  if (kind != "sum" && kind != "prod")
    return "of kind " + kind;
  if (isFloat(call.dtype()))
    call.computeIn(DType::F64);
  call.give(kind == "sum" ? "Cumsum" : "Cumprod",
            {call.operand(0), scalarIndex(call, call.integer("axis"))},
            {{"exclusive", call.integer("exclusive") != 0},
             {"reverse", call.integer("reverse") != 0}});
  return {};
}

void addReduction(Table &table) {
  table.insert({{"reduce", reduce}, {"arg_reduce", argReduce}, {"scan", scan}});
}

} // namespace smp::tensorflow
