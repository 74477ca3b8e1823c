// SPDX-License-Identifier: Apache-2.0
// make-edge-models FOLDER: one op each, with the numbers at which others do
// something else. Exported for TensorFlow as FOLDER/<name>; beside it
// <name>.values, a bundle of inputs as input/<name> and what the reference
// evaluator gives for them as output/<name>.
#include "ExportGraphs.h"
#include "smp/model/Philox.h"
#include "smp/model/Reference.h"
#include "smp/tools/ExportSavedModel.h"
#include "smp/tools/TensorBundle.h"
#include <cmath>
#include <cstdio>

using namespace smp;
using namespace smp::test;

namespace {

using Ints = std::vector<int64_t>;

const double kNan = std::nan(""), kInfinity = INFINITY;

HostTensor numbers(TensorType type, const std::vector<double> &values) {
  HostTensor tensor = HostTensor::zeros(std::move(type));
  const size_t size = sizeOf(tensor.type.dtype), count = tensor.bytes.size();
  for (size_t at = 0, i = 0; at < count; at += size, ++i)
    fillSplat(std::span(tensor.bytes).subspan(at, size), tensor.type.dtype,
              values[i % values.size()]);
  return tensor;
}

HostTensor line(DType type, const std::vector<double> &values) {
  return numbers({type, {int64_t(values.size())}}, values);
}

/// Every number of the second list for every one of the first.
std::vector<HostTensor> pairs(DType type, const std::vector<double> &xs,
                              const std::vector<double> &ys) {
  std::vector<double> left, right;
  for (const double x : xs)
    for (const double y : ys) {
      left.push_back(x);
      right.push_back(y);
    }
  return {line(type, left), line(type, right)};
}

class EdgeModels {
public:
  explicit EdgeModels(std::string folder) : folder(std::move(folder)) {}

  /// One op, called with the tensors, whose results have the types.
  void add(const std::string &name, const char *mnemonic,
           const std::vector<HostTensor> &inputs,
           std::vector<TensorType> results, AttributeMap attributes = {}) {
    GraphMaker maker;
    std::vector<uint32_t> operands;
    for (size_t i = 0; i < inputs.size(); ++i)
      operands.push_back(maker.input("x" + std::to_string(i), inputs[i].type));
    maker.output("y0", maker.op(mnemonic, operands, results[0],
                                std::move(attributes), name));
    if (results.size() > 1) {
      const auto second = uint32_t(maker.graph().values.size());
      maker.graph().values.push_back({"", results[1]});
      maker.graph().ops.back().results.push_back(second);
      maker.output("y1", second);
    }
    if (Status status = write(name, maker.finish(), inputs);
        !status.ok() && problem.empty())
      problem = name + ": " + status.message();
  }
  /// Of operands of one type, which the result has, too.
  void addAlike(const std::string &name, const char *mnemonic,
                const std::vector<HostTensor> &inputs,
                AttributeMap attributes = {}) {
    add(name + "_" + std::string(toString(inputs[0].type.dtype)), mnemonic,
        inputs, {inputs[0].type}, std::move(attributes));
  }

  std::string problem; ///< The first.

private:
  Status write(const std::string &name, const ExportedModel &model,
               const std::vector<HostTensor> &inputs) const {
    const Evaluation given = evaluate(model.graph, inputs, {});
    if (!given.ok())
      return internalError(given.error);
    const std::vector<HostTensor> &outputs = given.results;
    SMP_RETURN_IF_ERROR(writeSavedModel(model, folder + "/" + name));
    std::vector<TensorToBundle> values;
    for (size_t i = 0; i < inputs.size(); ++i)
      values.push_back(
          {"input/" + model.inputs[i], inputs[i].type, inputs[i].bytes, {}});
    for (size_t i = 0; i < outputs.size(); ++i)
      values.push_back({"output/" + model.outputs[i],
                        outputs[i].type,
                        outputs[i].bytes,
                        {}});
    return writeTensorBundle(values, folder + "/" + name + ".values");
  }

  const std::string folder;
};

const std::vector<DType> kIntegers = {DType::I64, DType::I32, DType::I16,
                                      DType::I8,  DType::U64, DType::U32,
                                      DType::U16, DType::U8},
                         kFloats = {DType::F64, DType::F32, DType::BF16,
                                    DType::F16};

} // namespace

static void addConversions(EdgeModels &models) {
  const std::vector<double> values = {0,
                                      -0.0,
                                      0.5,
                                      -0.5,
                                      2.5,
                                      -2.5,
                                      127.5,
                                      255,
                                      256,
                                      -129,
                                      65504,
                                      7e4,
                                      -7e4,
                                      2.2e9,
                                      -3e9,
                                      5e9,
                                      1e19,
                                      -1e19,
                                      2e20,
                                      1e39,
                                      -1e39,
                                      1e-40,
                                      1e-310,
                                      kNan,
                                      -1,
                                      kInfinity,
                                      -kInfinity,
                                      1 + std::exp2(-8) + std::exp2(-30),
                                      1 + std::exp2(-11) - std::exp2(-40)};
  for (const std::vector<DType> *list : {&kFloats, &kIntegers})
    for (const DType from : kFloats)
      for (const DType to : *list)
        models.add("convert_" + std::string(toString(from)) + "_" +
                       std::string(toString(to)),
                   "convert", {line(from, values)},
                   {{to, {int64_t(values.size())}}});
  for (const DType to : {DType::BF16, DType::F16, DType::U8, DType::Bool})
    models.add("convert_i32_" + std::string(toString(to)), "convert",
               {line(DType::I32, {0, -1, 300, 16777217, 65519, 33023, 2e9})},
               {{to, {7}}});
}

static void addIntegers(EdgeModels &models) {
  for (const DType type : kIntegers) {
    const double bits = 8 * double(sizeOf(type));
    const auto operands =
        pairs(type, {0, 1, -1, 7, -7, 1e30, -1e30}, {0, 1, -1, 2, -3, 1e30});
    for (const char *op : {"div", "rem", "max", "min", "mul"})
      models.addAlike(op, op, operands);
    const auto shifts =
        pairs(type, {1, -5, 1e30}, {0, 1, bits - 1, bits, -1, 1e30});
    models.addAlike("shift_left", "shift_left", shifts);
    models.addAlike("shift_right", "shift_right", shifts);
    for (const char *op : {"abs", "neg", "sign", "not"})
      models.addAlike(op, op, {operands[0]});
    if (type != DType::U64)
      models.addAlike("pow", "pow",
                      pairs(type, {0, 1, -1, 2, -3, 11}, {0, 1, 2, 7, -1, -2}));
  }
}

static void addFloats(EdgeModels &models) {
  for (const DType type : kFloats) {
    const HostTensor x = numbers(
        {type, {3, 6}}, {1, kNan, 3, kNan, 2, 3, -0.0, 0, -1, 0, -kInfinity,
                         -0.0, 5, kInfinity, kInfinity, -5, 5, 2});
    for (const char *kind : {"max", "min"}) {
      for (const int64_t last : {0, 1})
        models.add(
            std::string("arg_") + kind + std::to_string(last) + "_" +
                std::string(toString(type)),
            "arg_reduce", {x}, {{DType::I64, {3}}},
            {{"kind", kind}, {"axis", int64_t(1)}, {"select_last", last}});
      for (const int64_t reverse : {0, 1})
        models.addAlike(std::string("scan_") + kind + std::to_string(reverse),
                        "scan", {x},
                        {{"kind", kind},
                         {"axis", int64_t(1)},
                         {"reverse", reverse},
                         {"exclusive", reverse}});
      models.add(std::string("reduce_") + kind + std::string(toString(type)),
                 "reduce", {x}, {{type, {3}}},
                 {{"kind", kind}, {"dimensions", Ints{1}}});
      models.addAlike(std::string("scatter_") + kind, "scatter_elements",
                      {x, numbers({DType::I64, {3, 6}}, {0, 3, 3, 1, 5, 5}),
                       numbers({type, {3, 6}}, {kNan, 1, -2, 9, -0.0, 0, 4})},
                      {{"axis", int64_t(1)}, {"kind", kind}});
    }
    for (const int64_t largest : {0, 1})
      models.add(
          "top_k" + std::to_string(largest) + "_" + std::string(toString(type)),
          "top_k", {x}, {{type, {3, 5}}, {DType::I64, {3, 5}}},
          {{"axis", int64_t(1)}, {"k", int64_t(5)}, {"largest", largest}});
    const auto operands = pairs(type, {7.5, -7.5, 0, kNan, kInfinity},
                                {2, -2, 0, kNan, kInfinity});
    for (const char *op : {"rem", "max", "min", "div"})
      models.addAlike(op, op, operands);
    for (const char *op : {"relu", "sign", "round", "is_nan"})
      models.add(std::string(op) + "_" + std::string(toString(type)), op, {x},
                 {{op == std::string("is_nan") ? DType::Bool : type, {3, 6}}});
  }
}

static void addWindows(EdgeModels &models) {
  for (const DType type : {DType::F32, DType::F16, DType::I32, DType::U8}) {
    const HostTensor x =
        numbers({type, {1, 2, 9, 7}}, {3, 1, 4, 1, 5, 9, 2, 6});
    const AttributeMap window = {{"window", Ints{3, 2}},
                                 {"strides", Ints{2, 1}},
                                 {"low", Ints{1, -1}},
                                 {"high", Ints{2, 4}},
                                 {"dilations", Ints{2, 3}}};
    for (const char *kind : {"sum", "prod", "max", "min"}) {
      AttributeMap attributes = window;
      attributes["kind"] = kind;
      models.add(std::string("window_") + kind + std::string(toString(type)),
                 "window_reduce", {x}, {{type, {1, 2, 4, 7}}}, attributes);
    }
    for (const char *mode : {"constant", "edge", "reflect", "wrap"})
      models.add(std::string("pad_") + mode + std::string(toString(type)),
                 "pad", {x, numbers({type, {}}, {8})}, {{type, {1, 2, 11, 2}}},
                 {{"low", Ints{0, 0, 3, -4}},
                  {"high", Ints{0, 0, -1, -1}},
                  {"interior", Ints{0, 0, 0, 0}},
                  {"mode", mode}});
  }
  models.add("pad_interior", "pad",
             {line(DType::I16, {1, 2, 3}), numbers({DType::I16, {}}, {9})},
             {{DType::I16, {10}}},
             {{"low", Ints{2}}, {"high", Ints{1}}, {"interior", Ints{2}}});
  models.add("bit_cast", "bit_cast", {line(DType::F32, {1, -0.0, kInfinity})},
             {{DType::I32, {3}}});
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make-edge-models FOLDER\n");
    return 2;
  }
  EdgeModels models(argv[1]);
  addConversions(models);
  addIntegers(models);
  addFloats(models);
  addWindows(models);
  if (!models.problem.empty())
    std::fprintf(stderr, "make-edge-models: %s\n", models.problem.c_str());
  return models.problem.empty() ? 0 : 1;
}
