// SPDX-License-Identifier: Apache-2.0
#include "NodeTypes.h"
#include <cassert>
#include <map>

namespace smp::tensorflow {

static constexpr NodeTypes kLike = {{"T"}}, // The result as the first operand.
    kTest = {{"T"}, NodeTypes::kBool},      // A bool of numbers.
    kLogical = {{}, NodeTypes::kBool},      // Of bools.
    kAtAxes = {{"T", "Tidx"}},              // With a list of axes or sizes.
    kLogicalAtAxes = {{nullptr, "Tidx"}},   // The same of bools.
    kArgument = {{"T", "Tidx"}, 0, "output_type"}, // Where something is.
    kScatter = {{"T", "Tindices"}};

const NodeTypes &typesOf(std::string_view node) {
  static const std::map<std::string_view, NodeTypes> kRows = {
      {"Abs", kLike},
      {"Acos", kLike},
      {"Acosh", kLike},
      {"AddV2", kLike},
      {"All", kLogicalAtAxes},
      {"Any", kLogicalAtAxes},
      {"ArgMax", kArgument},
      {"ArgMin", kArgument},
      {"Asin", kLike},
      {"Asinh", kLike},
      {"Atan", kLike},
      {"Atanh", kLike},
      {"BatchMatMulV2", kLike},
      {"Bitcast", {{"T"}, 0, "type"}},
      {"BitwiseAnd", kLike},
      {"BitwiseOr", kLike},
      {"BitwiseXor", kLike},
      {"BroadcastTo", kAtAxes},
      {"Cast", {{"SrcT"}, 0, "DstT"}},
      {"Ceil", kLike},
      {"ConcatV2", kLike},
      {"Conv2D", kLike},
      {"Conv3D", kLike},
      {"Cos", kLike},
      {"Cosh", kLike},
      {"Cumprod", kAtAxes},
      {"Cumsum", kAtAxes},
      {"Equal", kTest},
      {"Erf", kLike},
      {"Erfc", kLike},
      {"Exp", kLike},
      {"Expm1", kLike},
      {"Fill", {{"index_type", "T"}, 1}},
      {"Floor", kLike},
      {"GatherNd", {{"Tparams", "Tindices"}}},
      {"GatherV2", {{"Tparams", "Tindices", "Taxis"}}},
      {"Greater", kTest},
      {"GreaterEqual", kTest},
      {"Identity", kLike},
      {"Invert", kLike},
      {"IsInf", kTest},
      {"IsNan", kTest},
      {"LeftShift", kLike},
      {"Less", kTest},
      {"LessEqual", kTest},
      {"Log", kLike},
      {"Log1p", kLike},
      {"LogicalAnd", kLogical},
      {"LogicalNot", kLogical},
      {"LogicalOr", kLogical},
      {"MatMul", kLike},
      {"Max", kAtAxes},
      {"Maximum", kLike},
      {"Mean", kAtAxes},
      {"Min", kAtAxes},
      {"Minimum", kLike},
      {"Mul", kLike},
      {"Neg", kLike},
      {"NotEqual", kTest},
      {"Pack", kLike},
      {"PadV2", {{"T", "Tpaddings"}}},
      {"Pow", kLike},
      {"Prod", kAtAxes},
      {"RealDiv", kLike},
      {"Relu", kLike},
      {"Reshape", {{"T", "Tshape"}}},
      {"ReverseV2", kAtAxes},
      {"RightShift", kLike},
      {"Rint", kLike},
      {"Rsqrt", kLike},
      {"SelectV2", {{nullptr, "T"}, 1}},
      {"Sigmoid", kLike},
      {"Sign", kLike},
      {"Sin", kLike},
      {"Sinh", kLike},
      {"Softplus", kLike},
      {"Sqrt", kLike},
      {"StridedSlice", {{"T", "Index"}}},
      {"Sub", kLike},
      {"Sum", kAtAxes},
      {"Tan", kLike},
      {"Tanh", kLike},
      {"TensorScatterAdd", kScatter},
      {"TensorScatterMax", kScatter},
      {"TensorScatterMin", kScatter},
      {"TensorScatterUpdate", kScatter},
      {"TopKV2", {{"T", "Tk"}, 0, "index_type"}},
      {"Transpose", {{"T", "Tperm"}}},
      {"TruncateDiv", kLike},
      {"TruncateMod", kLike}};
  const auto row = kRows.find(node);
  assert(row != kRows.end() && "a node without a row");
  return row->second;
}

} // namespace smp::tensorflow
