// SPDX-License-Identifier: Apache-2.0
#include "GraphToOnnx.h"
#include "Call.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/base/Version.h"
#include "smp/tools/ExportOnnx.h"

namespace smp::onnx {

/// The first that has the operator set; see Onnx.proto.
static constexpr int kIrVersion = 9;

static const Table &translations() {
  static const Table kTable = [] {
    Table table;
    addElementwise(table);
    addShape(table);
    addContraction(table);
    addWindow(table);
    addReduction(table);
    addComposite(table);
    addIndexing(table);
    return table;
  }();
  return kTable;
}

static void describe(proto::onnx::ValueInfo &info, const std::string &name,
                     const TensorType &type) {
  info.set_name(name);
  proto::onnx::TensorType &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(toOnnx(type.dtype));
  tensor.mutable_shape();
  for (const int64_t size : type.shape)
    tensor.mutable_shape()->add_dim()->set_dim_value(size);
}

/// What a person finds the op by.
static std::string describe(const GraphOp &op, const std::string &why) {
  const std::string word =
      "smp." + op.mnemonic + (why.empty() ? "" : " " + why);
  return op.name.empty() ? word : quote(op.name) + " (" + word + ")";
}

namespace {

class GraphExport {
public:
  GraphExport(const ExportedModel &model, proto::onnx::Graph &onnx)
      : model(model), graph(model.graph), onnx(onnx), nodes(onnx),
        names(graph.values.size()), isNeeded(graph.ops.size()) {}

  StatusOr<std::vector<Weight>> run() {
    onnx.set_name(model.entry);
    nameEnds();
    findNeeded();
    for (size_t i = 0; i < graph.ops.size(); ++i)
      if (isNeeded[i])
        SMP_RETURN_IF_ERROR(add(graph.ops[i]));
    if (!problems.empty())
      return invalidArgument("entry " + quote(model.entry) + " has " +
                             std::to_string(problems.size()) +
                             (problems.size() == 1 ? " op" : " ops") +
                             " without counterpart in ONNX (operator set " +
                             std::to_string(kOnnxOpset) +
                             "): " + join(problems, ", ") +
                             "; export an entry that does without");
    nameOutputs();
    return std::move(weights);
  }

private:
  /// Inputs and outputs are called what users know.
  void nameEnds() {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const uint32_t value = graph.inputs[i];
      names[value] = nodes.fresh(model.inputs[i]);
      describe(*onnx.add_input(), names[value], graph.values[value].type);
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      outputs.push_back(nodes.fresh(model.outputs[i]));
      describe(*onnx.add_output(), outputs[i],
               graph.values[graph.outputs[i]].type);
      outputOf.emplace(graph.outputs[i], outputs[i]);
    }
  }

  /// Ops that outputs follow from, and those that have no results, which are
  /// there for what they do.
  void findNeeded() {
    std::vector<bool> isUsed(graph.values.size());
    for (const uint32_t value : graph.outputs)
      isUsed[value] = true;
    for (size_t i = graph.ops.size(); i-- > 0;) {
      const GraphOp &op = graph.ops[i];
      isNeeded[i] = op.results.empty();
      for (const uint32_t value : op.results)
        isNeeded[i] = isNeeded[i] || isUsed[value];
      if (isNeeded[i])
        for (const uint32_t value : op.operands)
          isUsed[value] = true;
    }
  }

  Status add(const GraphOp &op) {
    if (op.results.empty()) {
      problems.push_back(describe(op, ""));
      return Status();
    }
    if (op.mnemonic == "read")
      return addRead(op);
    if (addConstant(op))
      return Status();
    for (const uint32_t value : op.results)
      names[value] = nameOf(op, value);
    if (addSplat(op))
      return Status();
    const auto found = translations().find(op.mnemonic);
    if (found == translations().end()) {
      problems.push_back(describe(op, ""));
      return Status();
    }
    Call call(graph, op, nodes, names);
    std::string why = found->second(call);
    if (why.empty())
      why = call.lack();
    if (!why.empty())
      problems.push_back(describe(op, why));
    return Status();
  }

  /// Of an op's result: the output's, its own or the op's.
  std::string nameOf(const GraphOp &op, uint32_t value) {
    if (const auto output = outputOf.find(value); output != outputOf.end())
      return output->second;
    const std::string &own = graph.values[value].name;
    return nodes.fresh(!own.empty()       ? own
                       : !op.name.empty() ? op.name
                                          : op.mnemonic);
  }

  Status addRead(const GraphOp &op) {
    const auto found = op.attributes.find("variable");
    const auto *variable = found == op.attributes.end()
                               ? nullptr
                               : std::get_if<std::string>(&found->second);
    if (!variable) {
      problems.push_back(describe(op, "without attribute 'variable'"));
      return Status();
    }
    std::string &name = initializers[*variable];
    if (name.empty()) {
      const TensorType &type = graph.values[op.results[0]].type;
      SMP_ASSIGN_OR_RETURN(const auto bytes, model.value(*variable, type));
      name = nodes.fresh(*variable);
      weights.push_back({nodes.initializer(name, type), bytes});
    }
    names[op.results[0]] = name;
    return Status();
  }

  /// A tensor that is not all equal is an initialiser, and no node.
  bool addConstant(const GraphOp &op) {
    const auto found = op.attributes.find("value");
    if (op.mnemonic != "constant" || found == op.attributes.end())
      return false;
    const auto *tensor = std::get_if<HostTensor>(&found->second);
    if (tensor)
      names[op.results[0]] = nodes.constant(tensor->type, tensor->bytes);
    return tensor != nullptr;
  }

  bool addSplat(const GraphOp &op) {
    const auto found = op.attributes.find("value");
    if (op.mnemonic != "constant" || found == op.attributes.end())
      return false;
    const auto *splat = std::get_if<Splat>(&found->second);
    if (splat)
      nodes.addSplat(op.name, names[op.results[0]], splat->type.dtype,
                     splat->type.shape, splat->element);
    return splat != nullptr;
  }

  /// Outputs that no node gives under their name: inputs, weights, constants
  /// and what is an output twice.
  void nameOutputs() {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (const std::string &value = names[graph.outputs[i]];
          value != outputs[i])
        nodes.add("Identity", outputs[i], {value}, {outputs[i]}, {});
  }

  const ExportedModel &model;
  const Graph &graph;
  proto::onnx::Graph &onnx;
  Nodes nodes;
  Names names, outputs;                            // By value; by place.
  std::vector<bool> isNeeded;                      // By op.
  std::map<uint32_t, std::string> outputOf;        // By value.
  std::map<std::string, std::string> initializers; // By variable.
  std::vector<Weight> weights;
  std::vector<std::string> problems;
};

} // namespace

StatusOr<std::vector<Weight>> toOnnx(const ExportedModel &model,
                                     proto::onnx::Model &result) {
  result.set_ir_version(kIrVersion);
  result.set_producer_name("smp");
  result.set_producer_version(std::string(versionString()));
  proto::onnx::OperatorSet &set = *result.add_opset_import();
  set.set_domain("");
  set.set_version(kOnnxOpset);
  return GraphExport(model, *result.mutable_graph()).run();
}

} // namespace smp::onnx
