// SPDX-License-Identifier: Apache-2.0
#include "OnnxTables.h"

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

static std::string softplus(Call &call) {
  call.computeIn(withoutBf16(call.dtype()));
  call.give("Softplus", {call.operand(0)});
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

/// ONNX has the features second.
static std::string batchNorm(Call &call) {
  if (call.integer("axis") != 1)
    return exporter::batchNorm(call);
  call.give("BatchNormalization", call.operands(),
            {{"epsilon", float(call.number("epsilon"))}});
  return {};
}

void addComposite(Table &table) {
  table.insert({{"relu", relu},
                {"sigmoid", sigmoid},
                {"silu", exporter::silu},
                {"softplus", softplus},
                {"gelu", gelu},
                {"softmax", softmax},
                {"log_softmax", logSoftmax},
                {"layer_norm", layerNorm},
                {"rms_norm", exporter::rmsNorm},
                {"batch_norm", batchNorm}});
}

} // namespace smp::onnx
