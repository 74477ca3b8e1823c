// SPDX-License-Identifier: Apache-2.0
#include "TensorFlowTables.h"
#include <cmath>
#include <numbers>
#include <numeric>

namespace smp::tensorflow {

/// x Phi(x) as x / 2 erfc(-x / sqrt(2)), which keeps what is small.
static std::string gelu(Call &call) {
  const std::string x = call.operand(0);
  const std::string half = call.make("Mul", {x, call.scalar(0.5)});
  if (!call.integer("approximate")) {
    const std::string scaled =
        call.make("Mul", {x, call.scalar(-std::numbers::sqrt2 / 2)});
    call.give("Mul", {half, call.make("Erfc", {scaled})});
    return {};
  }
  const std::string square = call.make("Mul", {x, x});
  const std::string factor =
      call.make("AddV2", {call.make("Mul", {square, call.scalar(0.044715)}),
                          call.scalar(1)});
  const std::string inner = call.make("Mul", {x, factor});
  const std::string scaled =
      call.make("Mul", {inner, call.scalar(std::sqrt(2 / std::numbers::pi))});
  call.give("Mul", {half, call.make("AddV2", {call.make("Tanh", {scaled}),
                                              call.scalar(1)})});
  return {};
}

/// A reduction along axes that stay, as of one element.
static std::string kept(Call &call, const char *node, const std::string &value,
                        const std::string &axes) {
  return call.make(node, {value, axes}, {{"keep_dims", true}});
}

/// x less its greatest along the axis, and the sum of the powers of that.
static std::pair<std::string, std::string> shifted(Call &call,
                                                   std::string *powers) {
  const std::string x = call.operand(0),
                    axis = call.nodes().ints({call.integer("axis")});
  std::string less = call.make("Sub", {x, kept(call, "Max", x, axis)});
  *powers = call.make("Exp", {less});
  return {std::move(less), kept(call, "Sum", *powers, axis)};
}

static std::string softmax(Call &call) {
  std::string powers;
  const auto [less, sum] = shifted(call, &powers);
  call.give("RealDiv", {powers, sum});
  return {};
}

static std::string logSoftmax(Call &call) {
  std::string powers;
  const auto [less, sum] = shifted(call, &powers);
  call.give("Sub", {less, call.make("Log", {sum})});
  return {};
}

static std::string layerNorm(Call &call) {
  std::vector<int64_t> dims(call.shape(1).size());
  std::iota(dims.begin(), dims.end(), call.integer("axis"));
  const std::string x = call.operand(0), axes = call.nodes().ints(dims);
  const std::string centred =
      call.make("Sub", {x, kept(call, "Mean", x, axes)});
  const std::string variance =
      kept(call, "Mean", call.make("Mul", {centred, centred}), axes);
  const std::string root = call.make(
      "Sqrt",
      {call.make("AddV2", {variance, call.scalar(call.number("epsilon"))})});
  const std::string scaled = call.make(
      "Mul", {call.make("RealDiv", {centred, root}), call.operand(1)});
  call.give("AddV2", {scaled, call.operand(2)});
  return {};
}

void addComposite(Table &table) {
  table.insert({{"relu", same<"Relu">},
                {"sigmoid", inFloats<same<"Sigmoid">>},
                {"silu", inFloats<exporter::silu>},
                {"softplus", inFloats<same<"Softplus">>},
                {"gelu", inFloats<gelu>},
                {"softmax", inFloats<softmax>},
                {"log_softmax", inFloats<logSoftmax>},
                {"layer_norm", inFloats<layerNorm>},
                {"rms_norm", inFloats<exporter::rmsNorm>},
                {"batch_norm", inFloats<exporter::batchNorm>}});
}

} // namespace smp::tensorflow
