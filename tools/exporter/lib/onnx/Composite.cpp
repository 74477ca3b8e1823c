// SPDX-License-Identifier: Apache-2.0
#include "Call.h"
#include <numeric>

namespace smp::onnx {

static std::string relu(Call &call) {
  if (isUnsigned(call.dtype()))
    call.give("Identity", {call.operand(0)});
  else
    call.give("Relu", {call.operand(0)});
  return {};
}

static std::string sigmoid(Call &call) {
  call.give("Sigmoid", {call.operand(0)});
  return {};
}

static std::string silu(Call &call) {
  const std::string &x = call.operand(0);
  call.give("Mul", {x, call.make("Sigmoid", {x})});
  return {};
}

static std::string softplus(Call &call) {
  const DType in = withoutBf16(call.dtype());
  call.giveFrom(in, "Softplus", {call.cast(call.operand(0), call.dtype(), in)});
  return {};
}

static std::string gelu(Call &call) {
  const bool isTanh = call.integer("approximate") != 0;
  call.give("Gelu", {call.operand(0)},
            {{"approximate", std::string(isTanh ? "tanh" : "none")}});
  return {};
}

static std::string softmax(Call &call) {
  call.give("Softmax", {call.operand(0)}, {{"axis", call.integer("axis")}});
  return {};
}

static std::string logSoftmax(Call &call) {
  call.give("LogSoftmax", {call.operand(0)}, {{"axis", call.integer("axis")}});
  return {};
}

static std::string layerNorm(Call &call) {
  call.give("LayerNormalization", call.operands(),
            {{"axis", call.integer("axis")},
             {"epsilon", float(call.number("epsilon"))}});
  return {};
}

/// x / sqrt(mean(x x) + epsilon) scale.
static std::string rmsNorm(Call &call) {
  const std::string &x = call.operand(0);
  std::vector<int64_t> axes(call.shape(1).size());
  std::iota(axes.begin(), axes.end(), call.integer("axis"));
  const std::string mean = call.make(
      "ReduceMean", {call.make("Mul", {x, x}), call.onnx().ints(axes)},
      {{"keepdims", int64_t(1)}});
  const std::string root = call.make(
      "Sqrt", {call.make("Add", {mean, call.scalar(call.number("epsilon"))})});
  call.give("Mul", {call.make("Div", {x, root}), call.operand(1)});
  return {};
}

/// (x - mean) / sqrt(variance + epsilon) scale + bias, where the features are
/// not second.
static void normaliseAlong(Call &call, size_t axis) {
  Shape along(call.shape(0).size(), 1);
  along[axis] = call.size(0, int64_t(axis));
  auto vector = [&](const std::string &value) {
    return call.reshaped(value, call.shape(1), along);
  };
  const std::string root = call.make(
      "Sqrt", {call.make("Add", {call.operand(4),
                                 call.scalar(call.number("epsilon"))})});
  const std::string factor = call.make("Div", {call.operand(1), root});
  const std::string centred =
      call.make("Sub", {call.operand(0), vector(call.operand(3))});
  const std::string scaled = call.make("Mul", {centred, vector(factor)});
  call.give("Add", {scaled, vector(call.operand(2))});
}

static std::string batchNorm(Call &call) {
  const int64_t axis = call.integer("axis");
  if (axis < 0 || axis >= int64_t(call.shape(0).size()))
    return "along no dimension of its own";
  if (axis == 1)
    call.give("BatchNormalization", call.operands(),
              {{"epsilon", float(call.number("epsilon"))}});
  else
    normaliseAlong(call, size_t(axis));
  return {};
}

void addComposite(Table &table) {
  table.insert({{"relu", relu},
                {"sigmoid", sigmoid},
                {"silu", silu},
                {"softplus", softplus},
                {"gelu", gelu},
                {"softmax", softmax},
                {"log_softmax", logSoftmax},
                {"layer_norm", layerNorm},
                {"rms_norm", rmsNorm},
                {"batch_norm", batchNorm}});
}

} // namespace smp::onnx
