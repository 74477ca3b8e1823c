// SPDX-License-Identifier: Apache-2.0
#include "GraphExport.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include <algorithm>

namespace smp::exporter {

/// What a person finds the op by.
static std::string describe(const GraphOp &op, const std::string &why) {
  const std::string word =
      "smp." + op.mnemonic + (why.empty() ? "" : " " + why);
  return op.name.empty() ? word : quote(op.name) + " (" + word + ")";
}

namespace {

class GraphExport {
public:
  GraphExport(const ExportedModel &model, const Format &format, Nodes &nodes)
      : model(model), graph(model.graph), format(format), nodes(nodes),
        names(graph.values.size()), isNeeded(graph.ops.size()) {}

  Status run() {
    nameEnds();
    findNeeded();
    for (size_t i = 0; i < graph.ops.size(); ++i)
      if (isNeeded[i])
        SMP_RETURN_IF_ERROR(add(graph.ops[i]));
    if (!problems.empty())
      return invalidArgument("entry " + quote(model.entry) + " has " +
                             std::to_string(problems.size()) +
                             (problems.size() == 1 ? " op" : " ops") +
                             " without counterpart in " + format.name + ": " +
                             join(problems, ", ") +
                             "; export an entry that does without");
    nameOutputs();
    return Status();
  }

private:
  /// Inputs and outputs are called what users know.
  void nameEnds() {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const uint32_t value = graph.inputs[i];
      names[value] = nodes.fresh(model.inputs[i]);
      nodes.addInput(model.inputs[i], names[value], graph.values[value].type);
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      outputs.push_back(nodes.fresh(model.outputs[i]));
      nodes.addOutput(model.outputs[i], outputs[i],
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
    const auto found = format.table.find(op.mnemonic);
    if (found == format.table.end()) {
      problems.push_back(describe(op, ""));
      return Status();
    }
    std::string why = checkDimensions(op);
    Call call(graph, op, nodes, names);
    if (why.empty())
      why = found->second(call);
    if (why.empty())
      why = call.lack();
    if (!why.empty())
      problems.push_back(describe(op, why));
    return Status();
  }

  /// "of rank 9" where the format has no such tensors.
  std::string checkDimensions(const GraphOp &op) const {
    size_t most = 0;
    for (const auto *values : {&op.operands, &op.results})
      for (const uint32_t value : *values)
        most = std::max(most, graph.values[value].type.shape.size());
    return most > format.mostDimensions ? "of rank " + std::to_string(most)
                                        : "";
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
    std::string &name = variables[*variable];
    if (name.empty()) {
      const TensorType &type = graph.values[op.results[0]].type;
      SMP_ASSIGN_OR_RETURN(const auto bytes, model.value(*variable, type));
      name = nodes.addVariable(*variable, type, bytes);
    }
    names[op.results[0]] = name;
    return Status();
  }

  /// A tensor that is not all equal is there once, however many ops have it.
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
      nodes.addSplat(op.name, names[op.results[0]], splat->type,
                     splat->element);
    return splat != nullptr;
  }

  /// Outputs that no node gives under their name: inputs, weights, constants
  /// and what is an output twice.
  void nameOutputs() {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (const std::string &value = names[graph.outputs[i]];
          value != outputs[i])
        nodes.add(outputs[i], {"Identity", {value}}, {outputs[i]});
  }

  const ExportedModel &model;
  const Graph &graph;
  const Format &format;
  Nodes &nodes;
  Names names, outputs;                         // By value; by place.
  std::vector<bool> isNeeded;                   // By op.
  std::map<uint32_t, std::string> outputOf;     // By value.
  std::map<std::string, std::string> variables; // Their values.
  std::vector<std::string> problems;
};

} // namespace

Status exportGraph(const ExportedModel &model, const Format &format,
                   Nodes &nodes) {
  return GraphExport(model, format, nodes).run();
}

} // namespace smp::exporter
