// SPDX-License-Identifier: Apache-2.0
#include "OnnxTables.h"
#include <algorithm>
#include <cmath>

namespace smp::onnx {

/// The same for one that has no bf16.
template <exporter::NodeName kNode>
static std::string sameButBf16(Call &call) {
  call.computeIn(withoutBf16(call.dtype()));
  return same<kNode>(call);
}

//===----------------------------------------------------------------------===//
// Of one operand
//===----------------------------------------------------------------------===//

static std::string neg(Call &call) {
  if (isUnsigned(call.dtype()))
    call.give("Sub", {call.scalar(0), call.operand(0)});
  else
    call.give("Neg", {call.operand(0)});
  return {};
}

static std::string bitNot(Call &call) {
  call.give(call.dtype() == DType::Bool ? "Not" : "BitwiseNot",
            {call.operand(0)});
  return {};
}

static std::string rsqrt(Call &call) {
  call.give("Reciprocal", {call.make("Sqrt", {call.operand(0)})});
  return {};
}

/// log(u) x / (u - 1) for u = 1 + x near 0, where u's error cancels; x where u
/// is 1.
static std::string log1p(Call &call) {
  const std::string x = call.operand(0), one = call.scalar(1);
  const std::string u = call.make("Add", {x, one});
  const std::string log = call.make("Log", {u});
  const std::string ratio = call.make("Div", {x, call.make("Sub", {u, one})});
  const std::string near = call.make("Where", {call.make("Equal", {u, one}), x,
                                               call.make("Mul", {log, ratio})});
  const std::string isNear =
      call.make("Less", {call.make("Abs", {x}), call.scalar(0.5)});
  call.give("Where", {isNear, near, log});
  return {};
}

/// tanh(x / 2) (exp(x) + 1).
static std::string expm1(Call &call) {
  const std::string x = call.operand(0);
  const std::string half =
      call.make("Tanh", {call.make("Mul", {x, call.scalar(0.5)})});
  const std::string sum =
      call.make("Add", {call.make("Exp", {x}), call.scalar(1)});
  call.give("Mul", {half, sum});
  return {};
}

/// Floats that become integers of 8 or 16 bits, as those that are quantised,
/// end at the bounds, which f32 has.
static std::string convert(Call &call) {
  const DType from = call.dtype(), to = call.result().dtype;
  std::string value = call.operand(0);
  if (isFloat(from) && widened(to) != to) {
    const DType in = from == DType::F64 ? from : DType::F32;
    const double numbers = std::exp2(8 * double(sizeOf(to)));
    const double least = isUnsigned(to) ? 0 : -numbers / 2;
    value = call.make("Clip", {call.cast(value, from, in),
                               call.nodes().scalar(in, least),
                               call.nodes().scalar(in, least + numbers - 1)});
  }
  call.give("Cast", {value}, {{"to", to}});
  return {};
}

//===----------------------------------------------------------------------===//
// Of several
//===----------------------------------------------------------------------===//

static std::string div(Call &call) {
  if (isFloat(call.dtype()))
    return same<"Div">(call);
  call.give("Identity", {exporter::divideIntegers(call)});
  return {};
}

static std::string rem(Call &call) {
  if (isFloat(call.dtype()))
    call.give("Mod", call.operands(), {{"fmod", true}});
  else
    call.give("Identity", {exporter::remainderOfIntegers(call)});
  return {};
}

static std::string pow(Call &call) {
  if (isUnsigned(call.dtype()))
    return "of unsigned integers";
  call.computeIn(widened(call.dtype()));
  return same<"Pow">(call);
}

/// 0 where y is not below the number of bits.
static std::string shift(Call &call, const char *direction) {
  if (!isUnsigned(call.dtype()))
    return "of signed integers";
  const std::string x = call.operand(0), y = call.operand(1);
  const std::string isBelow =
      call.make("Less", {y, call.scalar(8.0 * double(sizeOf(call.dtype())))});
  const std::string zero = call.scalar(0);
  const std::string by = call.make("Where", {isBelow, y, zero});
  const std::string shifted =
      call.make("BitShift", {x, by}, {{"direction", std::string(direction)}});
  call.give("Where", {isBelow, shifted, zero});
  return {};
}
static std::string shiftLeft(Call &call) { return shift(call, "LEFT"); }
static std::string shiftRight(Call &call) { return shift(call, "RIGHT"); }

static std::string compare(Call &call) {
  static const std::map<std::string, const char *> kNodes = {
      {"lt", "Less"},
      {"le", "LessOrEqual"},
      {"gt", "Greater"},
      {"ge", "GreaterOrEqual"}};
  const std::string direction = call.word("direction", "eq");
  if (direction == "eq") {
    call.give("Equal", call.operands());
  } else if (direction == "ne") {
    call.give("Not", {call.make("Equal", call.operands())});
  } else {
    const auto node = kNodes.find(direction);
    if (node == kNodes.end())
      return "with direction " + direction;
    const DType from = call.dtype(),
                in = from == DType::Bool ? DType::I32 : from;
    call.give(node->second, {call.cast(call.operand(0), from, in),
                             call.cast(call.operand(1), from, in)});
  }
  return {};
}

static std::string fma(Call &call) {
  call.give("Add", {call.make("Mul", {call.operand(0), call.operand(1)}),
                    call.operand(2)});
  return {};
}

void addElementwise(Table &table) {
  table.insert({{"abs", same<"Abs">},
                {"neg", neg},
                {"sign", same<"Sign">},
                {"not", bitNot},
                {"exp", same<"Exp">},
                {"log", same<"Log">},
                {"log1p", log1p},
                {"expm1", expm1},
                {"sqrt", same<"Sqrt">},
                {"rsqrt", rsqrt},
                {"tanh", same<"Tanh">},
                {"erf", same<"Erf">},
                {"sin", sameButBf16<"Sin">},
                {"cos", sameButBf16<"Cos">},
                {"tan", sameButBf16<"Tan">},
                {"asin", sameButBf16<"Asin">},
                {"acos", sameButBf16<"Acos">},
                {"atan", sameButBf16<"Atan">},
                {"sinh", sameButBf16<"Sinh">},
                {"cosh", sameButBf16<"Cosh">},
                {"asinh", sameButBf16<"Asinh">},
                {"acosh", sameButBf16<"Acosh">},
                {"atanh", sameButBf16<"Atanh">},
                {"floor", same<"Floor">},
                {"ceil", same<"Ceil">},
                {"round", sameButBf16<"Round">},
                {"is_nan", same<"IsNaN">},
                {"is_inf", same<"IsInf">},
                {"convert", convert},
                {"add", same<"Add">},
                {"sub", same<"Sub">},
                {"mul", same<"Mul">},
                {"div", div},
                {"rem", rem},
                {"pow", pow},
                {"max", same<"Max">},
                {"min", same<"Min">},
                {"and", exporter::bits<"And", "BitwiseAnd">},
                {"or", exporter::bits<"Or", "BitwiseOr">},
                {"xor", exporter::bits<"Xor", "BitwiseXor">},
                {"shift_left", shiftLeft},
                {"shift_right", shiftRight},
                {"compare", compare},
                {"fma", fma},
                {"select", same<"Where">}});
}

} // namespace smp::onnx
