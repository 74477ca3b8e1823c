// SPDX-License-Identifier: Apache-2.0
#include "TensorFlowTables.h"

namespace smp::tensorflow {

static std::string abs(Call &call) {
  call.give(isUnsigned(call.dtype()) ? "Identity" : "Abs", {call.operand(0)});
  return {};
}

/// TensorFlow makes Neg of 0 - x, which it does not have for unsigned ones.
static std::string neg(Call &call) {
  if (isUnsigned(call.dtype()))
    call.give("AddV2",
              {call.make("Invert", {call.operand(0)}), call.scalar(1)});
  else
    call.give("Neg", {call.operand(0)});
  return {};
}

static std::string sign(Call &call) {
  if (isUnsigned(call.dtype()))
    call.give("Minimum", {call.operand(0), call.scalar(1)});
  else
    call.give("Sign", {call.operand(0)});
  return {};
}

static std::string bitNot(Call &call) {
  call.give(call.dtype() == DType::Bool ? "LogicalNot" : "Invert",
            {call.operand(0)});
  return {};
}

void addUnary(Table &table) {
  table.insert({{"abs", abs},
                {"neg", neg},
                {"sign", sign},
                {"not", bitNot},
                {"exp", inFloats<same<"Exp">>},
                {"log", inFloats<same<"Log">>},
                {"log1p", inFloats<same<"Log1p">>},
                {"expm1", inFloats<same<"Expm1">>},
                {"sqrt", inFloats<same<"Sqrt">>},
                {"rsqrt", inFloats<same<"Rsqrt">>},
                {"tanh", inFloats<same<"Tanh">>},
                {"erf", inFloats<same<"Erf">>},
                {"sin", inFloats<same<"Sin">>},
                {"cos", inFloats<same<"Cos">>},
                {"tan", inFloats<same<"Tan">>},
                {"asin", inFloats<same<"Asin">>},
                {"acos", inFloats<same<"Acos">>},
                {"atan", inFloats<same<"Atan">>},
                {"sinh", inFloats<same<"Sinh">>},
                {"cosh", inFloats<same<"Cosh">>},
                {"asinh", inFloats<same<"Asinh">>},
                {"acosh", inFloats<same<"Acosh">>},
                {"atanh", inFloats<same<"Atanh">>},
                {"floor", same<"Floor">},
                {"ceil", same<"Ceil">},
                {"round", inFloats<same<"Rint">>},
                {"is_nan", same<"IsNan">},
                {"is_inf", same<"IsInf">}});
}

} // namespace smp::tensorflow
