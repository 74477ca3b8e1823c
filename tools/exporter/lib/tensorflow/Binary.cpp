// SPDX-License-Identifier: Apache-2.0
#include "TensorFlowTables.h"

namespace smp::tensorflow {

static std::string div(Call &call) {
  if (isFloat(call.dtype()))
    return same<"RealDiv">(call);
  call.give("Identity", {exporter::divideIntegers(call)});
  return {};
}

static std::string rem(Call &call) {
  if (isFloat(call.dtype()))
    return inFloats<same<"TruncateMod">>(call);
  call.give("Identity", {exporter::remainderOfIntegers(call)});
  return {};
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// TensorFlow refuses negative powers: of 1 and -1 they are those of the
/// power's last bit, of all others 0.
static std::string powSigned(Call &call) {
  const std::string x = call.operand(0), y = call.operand(1);
  const std::string zero = call.scalar(0), one = call.scalar(1);
  const std::string isNegative = call.make("Less", {y, zero});
  const std::string lastBit = call.make("BitwiseAnd", {y, one});
  const std::string power =
      call.make("Pow", {x, call.make("SelectV2", {isNegative, lastBit, y})});
  const std::string isOther =
      call.make("NotEqual", {call.make("Abs", {x}), one});
  call.give("SelectV2",
            {call.make("LogicalAnd", {isNegative, isOther}), zero, power});
  return {};
}

static std::string pow(Call &call) {
  const DType type = call.dtype();
  if (isFloat(type))
    return inFloats<same<"Pow">>(call);
  if (!isUnsigned(type))
    return powSigned(call);
  if (type == DType::U64)
    return "of u64";
  call.computeIn(DType::I64); // Its low bits are the same.
  return same<"Pow">(call);
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

static DType unsignedLike(DType type) {
  switch (sizeOf(type)) {
  case 1:
    return DType::U8;
  case 2:
    return DType::U16;
  case 4:
    return DType::U32;
  default:
    return DType::U64;
  }
}

/// Whether y is in 0..bits-1.
static std::string isInRange(Call &call) {
  const DType type = unsignedLike(call.dtype());
  const double bits = 8.0 * double(sizeOf(type));
  std::string y = call.operand(1);
  if (type != call.dtype())
    y = call.make("Bitcast", {y}, {{"type", type}});
  return call.make("Less", {y, call.nodes().scalar(type, bits)});
}

static std::string shiftLeft(Call &call) {
  const std::string isIn = isInRange(call), zero = call.scalar(0);
  const std::string by = call.make("SelectV2", {isIn, call.operand(1), zero});
  call.give("SelectV2",
            {isIn, call.make("LeftShift", {call.operand(0), by}), zero});
  return {};
}

/// Beyond the range of signed ones only the sign is left, as of the longest
/// shift there is.
static std::string shiftRight(Call &call) {
  const std::string isIn = isInRange(call);
  const std::string longest =
      call.scalar(8.0 * double(sizeOf(call.dtype())) - 1);
  const std::string by =
      call.make("SelectV2", {isIn, call.operand(1), longest});
  if (!isUnsigned(call.dtype())) {
    call.give("RightShift", {call.operand(0), by});
    return {};
  }
  call.give("SelectV2", {isIn, call.make("RightShift", {call.operand(0), by}),
                         call.scalar(0)});
  return {};
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

static std::string compare(Call &call) {
  static const std::map<std::string, const char *> kNodes = {
      {"eq", "Equal"},     {"ne", "NotEqual"}, {"lt", "Less"},
      {"le", "LessEqual"}, {"gt", "Greater"},  {"ge", "GreaterEqual"}};
  const std::string direction = call.word("direction", "eq");
  const auto node = kNodes.find(direction);
  if (node == kNodes.end())
    return "with direction " + direction;
  const DType from = call.dtype(), in = from == DType::Bool ? DType::U8 : from;
  call.give(node->second, {call.cast(call.operand(0), from, in),
                           call.cast(call.operand(1), from, in)});
  return {};
}

static std::string fma(Call &call) {
  call.give("AddV2", {call.make("Mul", {call.operand(0), call.operand(1)}),
                      call.operand(2)});
  return {};
}

void addBinary(Table &table) {
  table.insert({{"add", same<"AddV2">},
                {"sub", same<"Sub">},
                {"mul", same<"Mul">},
                {"div", div},
                {"rem", rem},
                {"pow", pow},
                {"max", same<"Maximum">},
                {"min", same<"Minimum">},
                {"and", exporter::bits<"LogicalAnd", "BitwiseAnd">},
                {"or", exporter::bits<"LogicalOr", "BitwiseOr">},
                {"xor", exporter::bits<"NotEqual", "BitwiseXor">},
                {"shift_left", shiftLeft},
                {"shift_right", shiftRight},
                {"compare", compare},
                {"fma", inFloats<fma>},
                {"select", same<"SelectV2">}});
}

} // namespace smp::tensorflow
