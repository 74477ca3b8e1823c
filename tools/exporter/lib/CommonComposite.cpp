// SPDX-License-Identifier: Apache-2.0
#include "Common.h"
#include <numeric>

namespace smp::exporter {

std::string divideIntegers(Call &call) {
  const Words &words = call.words();
  const std::string x = call.operand(0), y = call.operand(1);
  const std::string zero = call.scalar(0), one = call.scalar(1);
  const std::string isZero = call.make("Equal", {y, zero});
  std::string bad = isZero, instead = zero;
  if (!isUnsigned(call.dtype())) {
    const std::string isMinus = call.make("Equal", {y, call.scalar(-1)});
    bad = call.make(words.either, {isZero, isMinus});
    instead = call.make(words.where, {isZero, zero, call.make("Neg", {x})});
  }
  const std::string quotient = call.make(
      words.truncatingDivide, {x, call.make(words.where, {bad, one, y})});
  return call.make(words.where, {bad, instead, quotient});
}

std::string remainderOfIntegers(Call &call) {
  const std::string x = call.operand(0), y = call.operand(1);
  const std::string rest =
      call.make("Sub", {x, call.make("Mul", {divideIntegers(call), y})});
  const std::string zero = call.scalar(0);
  return call.make(call.words().where,
                   {call.make("Equal", {y, zero}), zero, rest});
}

std::string silu(Call &call) {
  const std::string x = call.operand(0);
  call.give("Mul", {x, call.make("Sigmoid", {x})});
  return {};
}

/// sqrt(variance + epsilon).
static std::string deviation(Call &call, const std::string &variance) {
  return call.make(
      "Sqrt", {call.make(call.words().add,
                         {variance, call.scalar(call.number("epsilon"))})});
}

std::string rmsNorm(Call &call) {
  const Words &words = call.words();
  const std::string x = call.operand(0);
  std::vector<int64_t> axes(call.shape(1).size());
  std::iota(axes.begin(), axes.end(), call.integer("axis"));
  const std::string mean =
      call.make(words.mean, {call.make("Mul", {x, x}), call.nodes().ints(axes)},
                {{words.keepDimensions, true}});
  const std::string root = deviation(call, mean);
  call.give("Mul", {call.make(words.divide, {x, root}), call.operand(1)});
  return {};
}

std::string batchNorm(Call &call) {
  const auto axis = size_t(call.integer("axis"));
  if (axis >= call.shape(0).size())
    return "along no dimension of its own";
  Shape along(call.shape(0).size(), 1);
  along[axis] = call.size(0, int64_t(axis));
  auto vector = [&](const std::string &value) {
    return call.reshaped(value, call.shape(1), along);
  };
  const Words &words = call.words();
  const std::string root = deviation(call, call.operand(4));
  const std::string factor = call.make(words.divide, {call.operand(1), root});
  const std::string centred =
      call.make("Sub", {call.operand(0), vector(call.operand(3))});
  const std::string scaled = call.make("Mul", {centred, vector(factor)});
  call.give(words.add, {scaled, vector(call.operand(2))});
  return {};
}

} // namespace smp::exporter
