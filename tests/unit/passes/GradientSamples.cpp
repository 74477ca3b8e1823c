// SPDX-License-Identifier: Apache-2.0
#include "GradientSamples.h"

namespace smp::test {
namespace {

using Samples = std::vector<GradientSample>;

void addUnary(Samples &samples, const std::string &op, double low = -2,
              double high = 2, const std::string &attributes = "") {
  samples.push_back(
      {op, "%x: tensor<3x4xf64>",
       "%r = smp." + op + " %x " + attributes + " : tensor<3x4xf64>",
       "tensor<3x4xf64>", low, high});
}

void addUnaries(Samples &samples) {
  for (const char *op :
       {"abs",  "neg",   "sign", "exp",  "expm1", "tanh",    "erf",
        "sin",  "cos",   "atan", "sinh", "cosh",  "asinh",   "floor",
        "ceil", "round", "relu", "silu", "gelu",  "sigmoid", "softplus"})
    addUnary(samples, op);
  for (const char *op : {"log", "sqrt", "rsqrt"})
    addUnary(samples, op, 0.3, 3);
  for (const char *op : {"asin", "acos", "atanh", "tan", "log1p"})
    addUnary(samples, op, -0.7, 0.7);
  addUnary(samples, "acosh", 1.4, 3);
  addUnary(samples, "gelu", -2, 2, "{approximate}");
  for (const char *axis : {"{axis = 0 : i64}", "{axis = 1 : i64}"}) {
    addUnary(samples, "softmax", -2, 2, axis);
    addUnary(samples, "log_softmax", -2, 2, axis);
  }
}

void addSeveral(Samples &samples) {
  const std::string type = "tensor<3x4xf64>";
  const std::string two = "%x: " + type + ", %y: " + type;
  for (const char *op : {"add", "sub", "mul", "max", "min"})
    samples.push_back(
        {op, two, "%r = smp." + std::string(op) + " %x, %y : " + type, type});
  samples.push_back(
      {"mul", "%x: " + type, "%r = smp.mul %x, %x : " + type, type});
  samples.push_back(
      {"div", two, "%r = smp.div %x, %y : " + type, type, 0.4, 2});
  samples.push_back(
      {"rem", two, "%r = smp.rem %x, %y : " + type, type, 0.4, 5});
  samples.push_back(
      {"pow", two, "%r = smp.pow %x, %y : " + type, type, 0.4, 2});
  // A base of both signs under a whole power, and powers that are 0.
  samples.push_back({"pow", "%x: " + type,
                     "%y = smp.constant dense<3.0> : " + type +
                         "\n%r = smp.pow %x, %y : " + type,
                     type});
  samples.push_back({"pow", "%x: " + type,
                     "%y = smp.constant dense<0.0> : " + type +
                         "\n%r = smp.pow %x, %y : " + type,
                     type});
  samples.push_back({"fma", two + ", %z: " + type,
                     "%r = smp.fma %x, %y, %z : " + type, type});
  samples.push_back({"select", "%c: tensor<3x4xi1>, " + two,
                     "%r = smp.select %c, %x, %y : tensor<3x4xi1>, " + type,
                     type});
  samples.push_back({"convert", "%x: " + type,
                     "%r = smp.convert %x : " + type + " to " + type, type});
}

void addShapes(Samples &samples) {
  const std::string x = "%x: tensor<3x4xf64>";
  samples.push_back({"reshape", x,
                     "%r = smp.reshape %x : tensor<3x4xf64> to tensor<2x6xf64>",
                     "tensor<2x6xf64>"});
  samples.push_back(
      {"transpose", "%x: tensor<2x3x4xf64>",
       "%r = smp.transpose %x {permutation = array<i64: 2, 0, 1>} : "
       "(tensor<2x3x4xf64>) -> tensor<4x2x3xf64>",
       "tensor<4x2x3xf64>"});
  samples.push_back({"broadcast", "%x: tensor<3x1xf64>",
                     "%r = smp.broadcast %x {dimensions = array<i64: 1, 2>} : "
                     "tensor<3x1xf64> to tensor<2x3x4xf64>",
                     "tensor<2x3x4xf64>"});
  samples.push_back({"slice", "%x: tensor<6x5xf64>",
                     "%r = smp.slice %x {starts = array<i64: 1, 0>, limits = "
                     "array<i64: 6, 3>, strides = array<i64: 3, 1>} : "
                     "(tensor<6x5xf64>) -> tensor<2x3xf64>",
                     "tensor<2x3xf64>"});
  samples.push_back(
      {"reverse", x,
       "%r = smp.reverse %x {dimensions = array<i64: 1>} : tensor<3x4xf64>",
       "tensor<3x4xf64>"});
  samples.push_back({"concat", x + ", %y: tensor<3x2xf64>",
                     "%r = smp.concat %x, %y, %x {axis = 1 : i64} : "
                     "(tensor<3x4xf64>, tensor<3x2xf64>, tensor<3x4xf64>) -> "
                     "tensor<3x10xf64>",
                     "tensor<3x10xf64>"});
  auto pad = [&](const std::string &attributes, const std::string &result) {
    samples.push_back({"pad", x + ", %v: tensor<f64>",
                       "%r = smp.pad %x, %v {" + attributes +
                           "} : (tensor<3x4xf64>, tensor<f64>) -> " + result,
                       result});
  };
  pad("low = array<i64: 2, -1>, high = array<i64: 0, 3>, interior = "
      "array<i64: 1, 0>",
      "tensor<7x6xf64>");
  for (const char *mode : {"edge", "reflect", "wrap"})
    pad("low = array<i64: 2, -1>, high = array<i64: 1, 2>, interior = "
        "array<i64: 0, 0>, mode = #smp.pad_mode<" +
            std::string(mode) + ">",
        "tensor<6x5xf64>");
}

void addProducts(Samples &samples) {
  auto dot = [&](const std::string &lhs, const std::string &rhs,
                 const std::string &attributes, const std::string &result) {
    samples.push_back({"dot_general", "%x: " + lhs + ", %y: " + rhs,
                       "%r = smp.dot_general %x, %y {" + attributes + "} : (" +
                           lhs + ", " + rhs + ") -> " + result,
                       result});
  };
  const std::string noBatch =
      "lhs_batch = array<i64>, rhs_batch = array<i64>, ";
  dot("tensor<2x3xf64>", "tensor<3x4xf64>",
      noBatch + "lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>",
      "tensor<2x4xf64>");
  dot("tensor<2x3xf64>", "tensor<4x3xf64>",
      noBatch + "lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>",
      "tensor<2x4xf64>");
  dot("tensor<3x2x2x4xf64>", "tensor<4x2x3x2xf64>",
      "lhs_batch = array<i64: 2>, rhs_batch = array<i64: 1>, lhs_contract = "
      "array<i64: 3, 0>, rhs_contract = array<i64: 0, 2>",
      "tensor<2x2x2xf64>");
  auto conv = [&](const std::string &input, const std::string &filter,
                  const std::string &attributes, const std::string &result) {
    samples.push_back({"conv", "%x: " + input + ", %w: " + filter,
                       "%r = smp.conv %x, %w {" + attributes + "} : (" + input +
                           ", " + filter + ") -> " + result,
                       result});
  };
  conv("tensor<2x2x5x4xf64>", "tensor<3x2x3x2xf64>",
       "strides = array<i64: 1, 1>, low = array<i64: 1, 0>, high = array<i64: "
       "1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64",
       "tensor<2x3x5x4xf64>");
  // A stride that leaves a rest, groups, a dilation.
  conv("tensor<2x4x8xf64>", "tensor<6x2x2xf64>",
       "strides = array<i64: 3>, low = array<i64: 1>, high = array<i64: 0>, "
       "dilations = array<i64: 2>, groups = 2 : i64",
       "tensor<2x6x3xf64>");
  conv("tensor<1x5x6x4xf64>", "tensor<4x1x3x3xf64>",
       "strides = array<i64: 2, 1>, low = array<i64: 1, 1>, high = array<i64: "
       "1, 1>, dilations = array<i64: 1, 1>, groups = 4 : i64, layout = "
       "#smp.layout<channels_last>",
       "tensor<1x3x6x4xf64>");
  // Padding that reaches beyond the window, and padding that removes.
  conv("tensor<1x1x6xf64>", "tensor<1x1x2xf64>",
       "strides = array<i64: 2>, low = array<i64: 3>, high = array<i64: -2>, "
       "dilations = array<i64: 1>, groups = 1 : i64",
       "tensor<1x1x3xf64>");
}

void addReductions(Samples &samples) {
  for (const char *kind : {"sum", "sum_squares", "max", "min", "prod"})
    samples.push_back({"reduce", "%x: tensor<2x3x2xf64>",
                       "%r = smp.reduce " + std::string(kind) +
                           " %x {dimensions = array<i64: 0, 2>} : "
                           "(tensor<2x3x2xf64>) -> tensor<3xf64>",
                       "tensor<3xf64>", -2, 2, 3,
                       /*twice=*/std::string(kind) != "prod"});
  for (const char *flags : {"", ", exclusive", ", reverse"})
    samples.push_back({"scan", "%x: tensor<3x4xf64>",
                       "%r = smp.scan sum %x {axis = 1 : i64" +
                           std::string(flags) + "} : tensor<3x4xf64>",
                       "tensor<3x4xf64>"});
  const std::string window =
      "window = array<i64: 3, 2>, strides = array<i64: 2, 2>, low = array<i64: "
      "1, 0>, high = array<i64: 1, 1>, dilations = array<i64: 1, 2>";
  for (const char *kind : {"sum", "max", "min"})
    samples.push_back({"window_reduce", "%x: tensor<1x2x5x6xf64>",
                       "%r = smp.window_reduce %x {kind = #smp.reduce<" +
                           std::string(kind) + ">, " + window +
                           "} : (tensor<1x2x5x6xf64>) -> tensor<1x2x3x3xf64>",
                       "tensor<1x2x3x3xf64>"});
  samples.push_back({"window_reduce", "%x: tensor<1x5x2xf64>",
                     "%r = smp.window_reduce %x {kind = #smp.reduce<max>, "
                     "window = array<i64: 2>, strides = array<i64: 1>, low = "
                     "array<i64: 0>, high = array<i64: 1>, dilations = "
                     "array<i64: 1>, layout = #smp.layout<channels_last>} : "
                     "(tensor<1x5x2xf64>) -> tensor<1x5x2xf64>",
                     "tensor<1x5x2xf64>"});
  samples.push_back({"statistics", "%x: tensor<2x3xf64>",
                     "%r = smp.statistics %x : (tensor<2x3xf64>) -> "
                     "tensor<1x10xf64>",
                     "tensor<1x10xf64>"});
  samples.push_back({"avg_pool", "%x: tensor<1x2x5x6xf64>",
                     "%r = smp.avg_pool %x {" + window +
                         "} : (tensor<1x2x5x6xf64>) -> tensor<1x2x3x3xf64>",
                     "tensor<1x2x3x3xf64>"});
}

void addNorms(Samples &samples) {
  const std::string x = "%x: tensor<3x4xf64>", s = ", %s: tensor<4xf64>",
                    b = ", %b: tensor<4xf64>";
  const std::string tail = "epsilon = 1.0e-3 : f64} : (tensor<3x4xf64>";
  samples.push_back({"layer_norm", x + s + b,
                     "%r = smp.layer_norm %x, %s, %b {axis = 1 : i64, " + tail +
                         ", tensor<4xf64>, tensor<4xf64>) -> tensor<3x4xf64>",
                     "tensor<3x4xf64>"});
  samples.push_back({"rms_norm", x + s,
                     "%r = smp.rms_norm %x, %s {axis = 1 : i64, " + tail +
                         ", tensor<4xf64>) -> tensor<3x4xf64>",
                     "tensor<3x4xf64>"});
  samples.push_back(
      {"batch_norm", x + s + b + ", %m: tensor<4xf64>, %v: tensor<4xf64>",
       "%r = smp.batch_norm %x, %s, %b, %m, %v {axis = 1 : i64, " + tail +
           ", tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> "
           "tensor<3x4xf64>",
       "tensor<3x4xf64>", 0.3, 2});
}

void addIndexing(Samples &samples) {
  samples.push_back({"gather", "%x: tensor<3x2xf64>, %i: tensor<5xi64>",
                     "%r = smp.gather %x, %i {axis = 0 : i64} : "
                     "(tensor<3x2xf64>, tensor<5xi64>) -> tensor<5x2xf64>",
                     "tensor<5x2xf64>"});
  samples.push_back(
      {"gather", "%x: tensor<2x4x3xf64>, %i: tensor<2x3xi32>",
       "%r = smp.gather %x, %i {axis = 1 : i64} : (tensor<2x4x3xf64>, "
       "tensor<2x3xi32>) -> tensor<2x2x3x3xf64>",
       "tensor<2x2x3x3xf64>", -2, 2, 4});
  samples.push_back(
      {"gather_elements", "%x: tensor<3x4xf64>, %i: tensor<5x3xi64>",
       "%r = smp.gather_elements %x, %i {axis = 0 : i64} : (tensor<3x4xf64>, "
       "tensor<5x3xi64>) -> tensor<5x3xf64>",
       "tensor<5x3xf64>"});
  // One element per row: the gradient compares positions.
  samples.push_back(
      {"gather_elements", "%x: tensor<3x4x2xf64>, %i: tensor<3x1x2xi64>",
       "%r = smp.gather_elements %x, %i {axis = 1 : i64} : "
       "(tensor<3x4x2xf64>, tensor<3x1x2xi64>) -> tensor<3x1x2xf64>",
       "tensor<3x1x2xf64>"});
  samples.push_back({"gather_nd", "%x: tensor<3x3x2xf64>, %i: tensor<4x2xi64>",
                     "%r = smp.gather_nd %x, %i {batch_dims = 0 : i64} : "
                     "(tensor<3x3x2xf64>, tensor<4x2xi64>) -> tensor<4x2xf64>",
                     "tensor<4x2xf64>"});
  samples.push_back(
      {"gather_nd", "%x: tensor<2x3x2xf64>, %i: tensor<2x4x1xi64>",
       "%r = smp.gather_nd %x, %i {batch_dims = 1 : i64} : "
       "(tensor<2x3x2xf64>, tensor<2x4x1xi64>) -> tensor<2x4x2xf64>",
       "tensor<2x4x2xf64>"});
  for (const char *kind : {"sum", "replace"}) {
    const std::string attribute =
        "kind = #smp.scatter_kind<" + std::string(kind) + ">} : ";
    // More updates than elements: some fall on the same.
    samples.push_back(
        {"scatter_elements",
         "%x: tensor<3x2xf64>, %i: tensor<5x2xi64>, %u: tensor<5x2xf64>",
         "%r = smp.scatter_elements %x, %i, %u {axis = 0 : i64, " + attribute +
             "(tensor<3x2xf64>, tensor<5x2xi64>, tensor<5x2xf64>) -> "
             "tensor<3x2xf64>",
         "tensor<3x2xf64>"});
    samples.push_back(
        {"scatter_nd",
         "%x: tensor<3x2xf64>, %i: tensor<5x1xi64>, %u: tensor<5x2xf64>",
         "%r = smp.scatter_nd %x, %i, %u {" + attribute +
             "(tensor<3x2xf64>, tensor<5x1xi64>, tensor<5x2xf64>) -> "
             "tensor<3x2xf64>",
         "tensor<3x2xf64>"});
  }
  samples.push_back({"top_k", "%x: tensor<3x4xf64>",
                     "%r, %j = smp.top_k %x {axis = 1 : i64, k = 2 : i64, "
                     "largest = true} : (tensor<3x4xf64>) -> "
                     "(tensor<3x2xf64>, tensor<3x2xi64>)",
                     "tensor<3x2xf64>"});
}

} // namespace

const std::vector<GradientSample> &gradientSamples() {
  static const Samples samples = [] {
    Samples all;
    addUnaries(all);
    addSeveral(all);
    addShapes(all);
    addProducts(all);
    addReductions(all);
    addNorms(all);
    addIndexing(all);
    return all;
  }();
  return samples;
}

} // namespace smp::test
