// SPDX-License-Identifier: Apache-2.0
// Evaluating graphs, op by op.

#include "Value.h"
#include "smp/model/HostMemory.h"
#include "smp/model/Reference.h"
#include <algorithm>

using namespace smp;
using namespace smp::reference;

namespace {
/// A graph being evaluated: the values that are known and still needed.
class Run {
public:
  Run(const Graph &graph, const VariableLookup &variables)
      : graph(graph), variables(variables), values(graph.values.size()),
        uses(graph.values.size()) {}

  Evaluation run(std::span<const HostTensor> inputs);

private:
  /// A value: borrowed from the caller, its own, or a constant, which is made
  /// for each who needs it.
  struct Slot {
    const HostTensor *borrowed = nullptr;
    std::optional<Value> owned;
    const GraphOp *constant = nullptr;
  };

  bool bindInputs(std::span<const HostTensor> inputs);
  void countUses();
  bool step(const GraphOp &op);
  bool read(const GraphOp &op);
  bool assign(const GraphOp &op);
  bool evaluate(const GraphOp &op);
  bool isDefined(uint32_t value) const {
    return value < values.size() &&
           (values[value].borrowed || values[value].owned ||
            values[value].constant);
  }
  std::optional<Operand> use(uint32_t value, Value &made);
  bool copyOut(uint32_t value, const std::string &what, HostTensor &tensor);
  bool giveOutputs();
  bool fail(std::string reason) {
    evaluation.error = std::move(reason);
    return false;
  }

  const Graph &graph;
  const VariableLookup &variables;
  std::vector<Slot> values;
  std::vector<uint32_t> uses;
  Evaluation evaluation;
};
} // namespace

bool Run::bindInputs(std::span<const HostTensor> inputs) {
  if (inputs.size() != graph.inputs.size())
    return fail("got " + std::to_string(inputs.size()) +
                " inputs; the graph has " +
                std::to_string(graph.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint32_t value = graph.inputs[i];
    if (value >= values.size())
      return fail("input " + std::to_string(i) + " is value " +
                  std::to_string(value) + " of " +
                  std::to_string(values.size()));
    const GraphValue &declared = graph.values[value];
    std::string wrong = checkTensor(inputs[i]);
    if (!(inputs[i].type == declared.type) || !wrong.empty())
      return fail("input '" + declared.name + "' is " +
                  toString(declared.type) + "; the tensor given " +
                  (wrong.empty() ? "is " + toString(inputs[i].type) : wrong));
    values[value].borrowed = &inputs[i];
  }
  return true;
}

void Run::countUses() {
  for (const GraphOp &op : graph.ops)
    for (uint32_t operand : op.operands)
      if (operand < uses.size())
        ++uses[operand];
  for (uint32_t output : graph.outputs)
    if (output < uses.size())
      ++uses[output];
}

/// Binds a variable's value without copying it.
bool Run::read(const GraphOp &op) {
  auto found = op.attributes.find("variable");
  const std::string *name = found == op.attributes.end()
                                ? nullptr
                                : std::get_if<std::string>(&found->second);
  if (!name || op.results.size() != 1 || !op.operands.empty())
    return fail(describe(op) + ": must have one result and name a variable");
  const HostTensor *tensor = variables ? variables(*name) : nullptr;
  if (!tensor)
    return fail(describe(op) + ": there is no variable '" + *name + "'");
  const TensorType &declared = graph.values[op.results[0]].type;
  std::string wrong = checkTensor(*tensor);
  if (!(tensor->type == declared) || !wrong.empty())
    return fail(describe(op) + ": is declared as " + toString(declared) +
                " but variable '" + *name + "' " +
                (wrong.empty() ? "is " + toString(tensor->type) : wrong));
  values[op.results[0]].borrowed = tensor;
  return true;
}

/// A value, that of a constant in `made`; nothing after a failure.
std::optional<Operand> Run::use(uint32_t value, Value &made) {
  const Slot &slot = values[value];
  if (slot.borrowed)
    return Operand{slot.borrowed};
  if (slot.owned)
    return Operand::of(*slot.owned);
  Outcome one = evaluateValues(*slot.constant, {},
                               std::span(&graph.values[value].type, 1));
  if (!one.error.empty()) {
    fail(std::move(one.error));
    return std::nullopt;
  }
  made = std::move(one.results[0]);
  return Operand::of(made);
}

bool Run::evaluate(const GraphOp &op) {
  std::vector<Value> constants(op.operands.size());
  std::vector<Operand> operands;
  std::vector<TensorType> types;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const std::optional<Operand> operand = use(op.operands[i], constants[i]);
    if (!operand)
      return false;
    operands.push_back(*operand);
  }
  for (uint32_t result : op.results)
    types.push_back(graph.values[result].type);
  Outcome one = evaluateValues(op, operands, types);
  if (!one.error.empty())
    return fail(std::move(one.error));
  for (size_t i = 0; i < op.results.size(); ++i)
    values[op.results[i]].owned = std::move(one.results[i]);
  return true;
}

bool Run::step(const GraphOp &op) {
  for (uint32_t operand : op.operands)
    if (!isDefined(operand))
      return fail(describe(op) + ": operand value " + std::to_string(operand) +
                  " is not defined before it");
  for (uint32_t result : op.results)
    if (result >= values.size() || isDefined(result))
      return fail(describe(op) + ": result value " + std::to_string(result) +
                  " does not exist or is defined twice");
  if (op.mnemonic == "return")
    return true;
  if (op.mnemonic == "read")
    return read(op);
  if (op.mnemonic == "assign")
    return assign(op);
  if (op.mnemonic != "constant" || !op.operands.empty() ||
      op.results.size() != 1)
    return evaluate(op);
  values[op.results[0]].constant = &op;
  return true;
}

/// Copies all elements of a value to where they outlive the evaluation.
bool Run::copyOut(uint32_t value, const std::string &what, HostTensor &tensor) {
  Value made;
  const std::optional<Operand> operand = use(value, made);
  if (!operand)
    return false;
  std::string error = checkMemory(uint64_t(operand->type().bytes()));
  if (!error.empty())
    return fail(what + ": " + error);
  tensor = operand->tensor ? *operand->tensor : writeOut(*operand->splat);
  return true;
}

bool Run::assign(const GraphOp &op) {
  auto found = op.attributes.find("variable");
  const std::string *name = found == op.attributes.end()
                                ? nullptr
                                : std::get_if<std::string>(&found->second);
  if (!name || op.operands.size() != 1 || !op.results.empty())
    return fail(describe(op) + ": must have one operand and name a variable");
  HostTensor tensor;
  if (!copyOut(op.operands[0], describe(op), tensor))
    return false;
  if (!evaluation.assigned.emplace(*name, std::move(tensor)).second)
    return fail(describe(op) + ": is a second assignment to '" + *name + "'");
  return true;
}

bool Run::giveOutputs() {
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const uint32_t output = graph.outputs[i];
    if (!isDefined(output))
      return fail("output value " + std::to_string(output) + " is not defined");
    HostTensor &result = evaluation.results.emplace_back();
    if (!copyOut(output, "output " + std::to_string(i), result))
      return false;
  }
  return true;
}

Evaluation Run::run(std::span<const HostTensor> inputs) {
  countUses();
  if (!bindInputs(inputs))
    return std::move(evaluation);
  for (const GraphOp &op : graph.ops) {
    if (!step(op))
      return std::move(evaluation);
    for (uint32_t operand : op.operands)
      if (--uses[operand] == 0)
        values[operand].owned.reset();
  }
  giveOutputs();
  return std::move(evaluation);
}

Evaluation smp::evaluate(const Graph &graph, std::span<const HostTensor> inputs,
                         const VariableLookup &variables) {
  return Run(graph, variables).run(inputs);
}
