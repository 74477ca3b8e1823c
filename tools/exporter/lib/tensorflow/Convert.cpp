// SPDX-License-Identifier: Apache-2.0
#include "TensorFlowTables.h"
#include <cmath>

namespace smp::tensorflow {

/// Truncated; beyond the bounds the nearest, a NaN 0: TensorFlow leaves open
/// what they become.
static std::string toInteger(Call &call) {
  const DType to = call.result().dtype;
  const double numbers = std::exp2(8 * double(sizeOf(to)));
  const double least = isUnsigned(to) ? 0 : -numbers / 2,
               beyond = least + numbers;
  call.computeIn(exporter::withoutHalves(call.dtype()));
  const std::string x = call.operand(0);
  const std::string isAbove =
      call.make("GreaterEqual", {x, call.scalar(beyond)});
  const std::string isBelow = call.make("LessEqual", {x, call.scalar(least)});
  const std::string isBad =
      call.make("LogicalOr", {call.make("LogicalOr", {isAbove, isBelow}),
                              call.make("IsNan", {x})});
  const std::string good = call.make(
      call.nodes().cast(call.make("SelectV2", {isBad, call.scalar(0), x}), to));
  const std::string notAbove =
      call.make("SelectV2", {isAbove, call.nodes().scalar(to, beyond), good});
  call.give("SelectV2", {isBelow, call.nodes().scalar(to, least), notAbove});
  return {};
}

/// TensorFlow rounds to f32 first, and then again. So the first time it is
/// rounded towards zero, with the last bit set where that lost something, which
/// the second time cannot take for a tie.
static std::string toHalf(Call &call) {
  const DType to = call.result().dtype;
  const std::string x = call.cast(call.operand(0), call.dtype(), DType::F64);
  const std::string y = call.make(call.nodes().cast(x, DType::F32));
  const std::string again = call.make(call.nodes().cast(y, DType::F64));
  const std::string isAway =
      call.make("Greater", {call.make("Abs", {again}), call.make("Abs", {x})});
  const std::string bits = call.make("Bitcast", {y}, {{"type", DType::I32}});
  const std::string one = call.nodes().scalar(DType::I32, 1);
  const std::string towardsZero = call.make(
      "Sub", {bits, call.make(call.nodes().cast(isAway, DType::I32))});
  const std::string odd = call.make("BitwiseOr", {towardsZero, one});
  const std::string chosen =
      call.make("SelectV2", {call.make("NotEqual", {again, x}), odd, bits});
  call.give(call.nodes().cast(
      call.make("Bitcast", {chosen}, {{"type", DType::F32}}), to));
  return {};
}

static std::string convert(Call &call) {
  const DType from = call.dtype(), to = call.result().dtype;
  const bool toFloat = isFloat(to);
  if (to == DType::Bool && from != DType::Bool)
    call.give("NotEqual", {call.operand(0), call.scalar(0)});
  else if (isFloat(from) && !toFloat && to != DType::Bool)
    return toInteger(call);
  else if (toFloat && sizeOf(to) == 2 && sizeOf(from) >= 4 &&
           from != DType::F32)
    return toHalf(call);
  else
    call.give(call.nodes().cast(call.operand(0), to));
  return {};
}

static std::string bitCast(Call &call) {
  call.give("Bitcast", {call.operand(0)}, {{"type", call.result().dtype}});
  return {};
}

void addConvert(Table &table) {
  table.insert({{"convert", convert}, {"bit_cast", bitCast}});
}

} // namespace smp::tensorflow
