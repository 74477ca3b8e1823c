// SPDX-License-Identifier: Apache-2.0
// Evaluating ops one by one, and graphs of them.

#include "Table.h"
#include "smp/model/Reference.h"
#include <algorithm>
#include <unordered_map>

using namespace smp;
using namespace smp::reference;

/// Every entry by its mnemonic, in order.
static const std::map<std::string_view, Entry> &entryTable() {
  static const std::map<std::string_view, Entry> table = [] {
    std::map<std::string_view, Entry> entries;
    for (auto family : {unaryOps, binaryOps, convertOps, shapeOps,
                        contractionOps, packedOps, windowOps, reductionOps,
                        gatherOps, scatterOps, activationOps, normOps})
      for (const Entry &entry : family())
        entries.emplace(entry.mnemonic, entry);
    return entries;
  }();
  return table;
}

const Entry *smp::reference::findEntry(std::string_view mnemonic) {
  auto found = entryTable().find(mnemonic);
  return found == entryTable().end() ? nullptr : &found->second;
}

/// Ops that only a graph gives a meaning.
static constexpr std::string_view kGraphOps[] = {"assign", "read", "return"};

std::vector<std::string_view> smp::referenceMnemonics() {
  std::vector<std::string_view> names(std::begin(kGraphOps),
                                      std::end(kGraphOps));
  for (const auto &[mnemonic, entry] : entryTable())
    names.push_back(mnemonic);
  std::sort(names.begin(), names.end());
  return names;
}

/// "op 'encoder/gather_3' (gather)".
static std::string describe(const GraphOp &op) {
  return op.name.empty() ? "op (" + op.mnemonic + ")"
                         : "op '" + op.name + "' (" + op.mnemonic + ")";
}

static Evaluation failure(const GraphOp &op, const std::string &reason) {
  Evaluation evaluation;
  evaluation.error = describe(op) + ": " + reason;
  return evaluation;
}

/// Whether a type's shape and size in bytes are sound.
static bool isSound(const TensorType &type) {
  std::optional<int64_t> elements = checkedNumElements(type.shape);
  return elements && *elements <= INT64_MAX / 16;
}

/// What is wrong with a tensor as an operand; empty: nothing.
static std::string checkTensor(const HostTensor &tensor) {
  if (!isSound(tensor.type))
    return "has the impossible type " + toString(tensor.type);
  if (tensor.bytes.size() == size_t(tensor.type.bytes()))
    return {};
  return "of type " + toString(tensor.type) + " has " +
         std::to_string(tensor.bytes.size()) + " bytes";
}

Evaluation smp::evaluateOp(const GraphOp &op,
                           std::span<const HostTensor *const> operands,
                           std::span<const TensorType> resultTypes) {
  const Entry *entry = findEntry(op.mnemonic);
  if (!entry)
    return failure(op, "has no reference");
  const bool variadic = entry->operands == kVariadic;
  if (variadic ? operands.empty() : operands.size() != entry->operands)
    return failure(
        op, "has " + std::to_string(operands.size()) + " operands; it takes " +
                (variadic ? "at least 1" : std::to_string(entry->operands)));
  if (resultTypes.size() != entry->results)
    return failure(op, "has " + std::to_string(resultTypes.size()) +
                           " results; it gives " +
                           std::to_string(entry->results));
  for (size_t i = 0; i < operands.size(); ++i)
    if (std::string wrong = checkTensor(*operands[i]); !wrong.empty())
      return failure(op, "operand " + std::to_string(i) + " " + wrong);
  for (const TensorType &type : resultTypes)
    if (!isSound(type))
      return failure(op,
                     "has a result of the impossible type " + toString(type));
  Call call(op, operands, resultTypes);
  entry->evaluate(call);
  if (call.failed())
    return failure(op, call.error);
  Evaluation evaluation;
  evaluation.results = std::move(call.results);
  return evaluation;
}

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
  /// for each who needs it: a splat may stand for more than there is memory to
  /// keep.
  struct Value {
    const HostTensor *tensor = nullptr;
    HostTensor owned;
    const GraphOp *constant = nullptr;
  };

  bool bindInputs(std::span<const HostTensor> inputs);
  void countUses();
  bool step(const GraphOp &op);
  bool read(const GraphOp &op);
  bool assign(const GraphOp &op);
  bool evaluate(const GraphOp &op);
  bool define(uint32_t value, HostTensor tensor);
  bool isDefined(uint32_t value) const {
    return value < values.size() &&
           (values[value].tensor || values[value].constant);
  }
  const HostTensor *use(uint32_t value, HostTensor &made);
  bool giveOutputs();
  bool fail(std::string reason) {
    evaluation.error = std::move(reason);
    return false;
  }

  const Graph &graph;
  const VariableLookup &variables;
  std::vector<Value> values;
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
    values[value].tensor = &inputs[i];
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

bool Run::define(uint32_t value, HostTensor tensor) {
  values[value].owned = std::move(tensor);
  values[value].tensor = &values[value].owned;
  return true;
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
  values[op.results[0]].tensor = tensor;
  return true;
}

/// The elements of a value, those of a constant in `made`; null after a
/// failure.
const HostTensor *Run::use(uint32_t value, HostTensor &made) {
  const GraphOp *constant = values[value].constant;
  if (!constant)
    return values[value].tensor;
  Evaluation one =
      evaluateOp(*constant, {}, std::span(&graph.values[value].type, 1));
  if (!one.ok()) {
    fail(std::move(one.error));
    return nullptr;
  }
  made = std::move(one.results[0]);
  return &made;
}

bool Run::evaluate(const GraphOp &op) {
  std::vector<HostTensor> constants(op.operands.size());
  std::vector<const HostTensor *> operands;
  std::vector<TensorType> types;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    operands.push_back(use(op.operands[i], constants[i]));
    if (!operands.back())
      return false;
  }
  for (uint32_t result : op.results)
    types.push_back(graph.values[result].type);
  Evaluation one = evaluateOp(op, operands, types);
  if (!one.ok())
    return fail(std::move(one.error));
  for (size_t i = 0; i < op.results.size(); ++i)
    define(op.results[i], std::move(one.results[i]));
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

bool Run::assign(const GraphOp &op) {
  auto found = op.attributes.find("variable");
  const std::string *name = found == op.attributes.end()
                                ? nullptr
                                : std::get_if<std::string>(&found->second);
  if (!name || op.operands.size() != 1 || !op.results.empty())
    return fail(describe(op) + ": must have one operand and name a variable");
  HostTensor made;
  const HostTensor *tensor = use(op.operands[0], made);
  if (!tensor)
    return false;
  if (!evaluation.assigned.emplace(*name, *tensor).second)
    return fail(describe(op) + ": is a second assignment to '" + *name + "'");
  return true;
}

bool Run::giveOutputs() {
  for (uint32_t output : graph.outputs) {
    if (!isDefined(output))
      return fail("output value " + std::to_string(output) + " is not defined");
    HostTensor made;
    const HostTensor *tensor = use(output, made);
    if (!tensor)
      return false;
    evaluation.results.push_back(*tensor);
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
        values[operand].owned = {};
  }
  giveOutputs();
  return std::move(evaluation);
}

Evaluation smp::evaluate(const Graph &graph, std::span<const HostTensor> inputs,
                         const VariableLookup &variables) {
  return Run(graph, variables).run(inputs);
}
