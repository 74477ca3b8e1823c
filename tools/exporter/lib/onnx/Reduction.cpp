// SPDX-License-Identifier: Apache-2.0
#include "OnnxTables.h"

namespace smp::onnx {

static std::string reduce(Call &call) {
  static const std::map<std::string, const char *> kNodes = {
      {"sum", "ReduceSum"},
      {"prod", "ReduceProd"},
      {"max", "ReduceMax"},
      {"min", "ReduceMin"},
      {"sum_squares", "ReduceSumSquare"}};
  const std::string kind = call.word("kind", "sum");
  const std::vector<int64_t> &axes = call.ints("dimensions");
  if (axes.empty()) {
    if (kind == "sum_squares")
      call.give("Mul", {call.operand(0), call.operand(0)});
    else
      call.give("Identity", {call.operand(0)});
    return {};
  }
  const auto node = kNodes.find(kind);
  if (node == kNodes.end())
    return "of kind " + kind;
  call.computeIn(widened(call.dtype()));
  call.give(node->second, {call.operand(0), call.nodes().ints(axes)},
            {{"keepdims", false}});
  return {};
}

static std::string argReduce(Call &call) {
  call.give(call.word("kind", "max") == "max" ? "ArgMax" : "ArgMin",
            {call.operand(0)},
            {{"axis", call.integer("axis")},
             {"keepdims", false},
             {"select_last_index", call.integer("select_last")}});
  return {};
}

static std::string scan(Call &call) {
  if (const std::string kind = call.word("kind", "sum"); kind != "sum")
    return "of kind " + kind;
  call.computeIn(widened(call.dtype()));
  call.give("CumSum",
            {call.operand(0),
             call.nodes().scalar(DType::I64, double(call.integer("axis")))},
            {{"exclusive", call.integer("exclusive")},
             {"reverse", call.integer("reverse")}});
  return {};
}

void addReduction(Table &table) {
  table.insert({{"reduce", reduce}, {"arg_reduce", argReduce}, {"scan", scan}});
}

} // namespace smp::onnx
