// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/ReferenceProgram.h"
#include "DivideGraph.h"
#include "smp/exec/SessionTypes.h"
#include "smp/model/HostMemory.h"
#include "smp/model/Reference.h"
#include <algorithm>
#include <cstring>

namespace smp {

namespace {

/// One step of an entry, with values of the variables of its own.
class Step {
public:
  Step(const Entry &entry, const NamedTensors &inputs, NamedTensors variables)
      : entry(entry), inputs(inputs), variables(std::move(variables)),
        graph(divideGraph(entry.graph)) {}

  Status run(uint32_t microbatches);

  std::vector<ReferenceOutput> outputs;
  NamedTensors takeVariables() { return std::move(variables); }

private:
  Status countMicrobatches(uint32_t asked);
  Status checkInputs() const;
  Status makeOutputs();
  Status reduceOutputs();
  std::vector<HostTensor> partsOf(uint32_t microbatch) const;
  Status evaluatePart(const Graph &part, uint32_t microbatch, bool once);

  const Entry &entry;
  const NamedTensors &inputs;
  NamedTensors variables;
  DividedGraph graph;
  uint32_t count = 1;
};

} // namespace

/// Copies microbatch `m` of `count` between the whole tensor and a dense one.
static void copyPart(const EntryTensor &tensor, std::byte *whole,
                     std::byte *part, uint32_t m, uint32_t count,
                     bool toWhole) {
  uint64_t rows = 1;
  for (int32_t i = 0; i < tensor.batchAxis; ++i)
    rows *= uint64_t(tensor.type.shape[size_t(i)]);
  const auto bytes = uint64_t(tensor.type.bytes());
  const uint64_t rowBytes = rows ? bytes / rows : 0;
  for (uint64_t row = 0; row < rows && rowBytes; ++row) {
    std::byte *there = whole + (row * count + m) * rowBytes;
    std::byte *here = part + row * rowBytes;
    std::memcpy(toWhole ? there : here, toWhole ? here : there, rowBytes);
  }
}

static TensorType wholeType(const EntryTensor &tensor, uint32_t count) {
  TensorType type = tensor.type;
  if (tensor.batchAxis >= 0)
    type.shape[size_t(tensor.batchAxis)] *= count;
  return type;
}

Status Step::countMicrobatches(uint32_t asked) {
  const uint32_t fixed = entry.microbatches;
  count = asked ? asked : std::max(1u, fixed);
  for (const EntryTensor &tensor : entry.inputs) {
    if (tensor.source == TensorSource::Microbatch)
      continue;
    const auto given = inputs.find(tensor.name);
    if (given == inputs.end())
      return invalidArgument("entry '" + entry.name + "' needs input '" +
                             tensor.name + "', a " + toString(tensor.type));
    const int64_t each =
        tensor.batchAxis < 0 ? 0 : tensor.type.shape[size_t(tensor.batchAxis)];
    if (each && given->second.type.shape.size() == tensor.type.shape.size())
      count =
          uint32_t(given->second.type.shape[size_t(tensor.batchAxis)] / each);
  }
  if (fixed && count != fixed)
    return invalidArgument("the inputs hold " + std::to_string(count) +
                           " microbatches; entry '" + entry.name +
                           "' was compiled for " + std::to_string(fixed));
  for (const EntryTensor &output : entry.outputs)
    if (count > 1 && output.join == Join::Mixed)
      return invalidArgument("the inputs hold " + std::to_string(count) +
                             " microbatches, and output '" + output.name +
                             "' mixes their rows: " + output.mixing);
  return checkInputs();
}

Status Step::checkInputs() const {
  for (const EntryTensor &tensor : entry.inputs)
    if (tensor.source == TensorSource::Caller)
      if (const TensorType &given = inputs.find(tensor.name)->second.type;
          !(given == wholeType(tensor, count)))
        return invalidArgument(
            "input '" + tensor.name + "' is a " + toString(given) + "; for " +
            std::to_string(count) + " microbatches it must be a " +
            toString(wholeType(tensor, count)));
  return Status();
}

Status Step::makeOutputs() {
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    const EntryTensor &tensor = entry.outputs[i];
    const uint32_t values = graph.isOnce[i] ? 1 : count;
    const uint64_t bytes = uint64_t(tensor.type.bytes()) * values;
    if (std::string lack = checkMemory(bytes); !lack.empty())
      return resourceExhausted("reference: output '" + tensor.name + "' " +
                               lack);
    outputs.push_back({wholeType(tensor, values),
                       std::vector<std::byte>(size_t(bytes)), tensor.batchAxis,
                       values});
  }
  return Status();
}

std::vector<HostTensor> Step::partsOf(uint32_t microbatch) const {
  std::vector<HostTensor> parts;
  for (const EntryTensor &tensor : entry.inputs) {
    HostTensor &part = parts.emplace_back(HostTensor::zeros(tensor.type));
    if (tensor.source == TensorSource::Microbatch) {
      part.as<int64_t>()[0] = microbatch;
      continue;
    }
    const HostTensor &whole = inputs.find(tensor.name)->second;
    if (tensor.batchAxis < 0)
      part = whole;
    else // Only read.
      copyPart(tensor, const_cast<std::byte *>(whole.bytes.data()),
               part.bytes.data(), microbatch, count, /*toWhole=*/false);
  }
  return parts;
}

Status Step::evaluatePart(const Graph &part, uint32_t microbatch, bool once) {
  Evaluation result =
      evaluate(part, partsOf(microbatch), [this](std::string_view name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : &found->second;
      });
  if (!result.ok())
    return invalidArgument("reference: " + result.error);
  for (auto &[name, value] : result.assigned)
    variables[name] = std::move(value);
  size_t next = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (graph.isOnce[i] != once)
      continue;
    HostTensor &value = result.results[next++];
    std::byte *whole = outputs[i].bytes.data();
    if (entry.outputs[i].batchAxis < 0 || once)
      std::copy(value.bytes.begin(), value.bytes.end(),
                whole + (once ? 0 : microbatch) * value.bytes.size());
    else
      copyPart(entry.outputs[i], whole, value.bytes.data(), microbatch, count,
               /*toWhole=*/true);
  }
  return Status();
}

/// Outputs that are the sum or mean of what microbatches gave become that.
Status Step::reduceOutputs() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Join join = entry.outputs[i].join;
    ReferenceOutput &output = outputs[i];
    if (output.microbatches < 2 || (join != Join::Sum && join != Join::Mean))
      continue;
    const OutputTensor values{entry.outputs[i].name,
                              output.type.dtype,
                              output.type.shape,
                              output.last(),
                              uint64_t(output.type.bytes()),
                              output.batchAxis,
                              output.microbatches};
    SMP_ASSIGN_OR_RETURN(auto reduced, join == Join::Sum ? values.reduceSum()
                                                         : values.reduceMean());
    output.bytes = std::move(reduced.bytes);
    output.microbatches = 1;
  }
  return Status();
}

Status Step::run(uint32_t microbatches) {
  SMP_RETURN_IF_ERROR(countMicrobatches(microbatches));
  SMP_RETURN_IF_ERROR(makeOutputs());
  for (uint32_t m = 0; m < count; ++m)
    SMP_RETURN_IF_ERROR(evaluatePart(graph.microbatch, m, /*once=*/false));
  if (entry.microbatches)
    SMP_RETURN_IF_ERROR(evaluatePart(graph.update, count - 1, /*once=*/true));
  return reduceOutputs();
}

StatusOr<ReferenceProgram>
ReferenceProgram::open(std::shared_ptr<RunnableProgram> program) {
  ReferenceProgram reference;
  const std::vector<Variable> &all = program->program().variables;
  for (uint32_t i = 0; i < all.size(); ++i) {
    SMP_ASSIGN_OR_RETURN(auto value, program->initialValue(i));
    if (std::string lack = checkMemory(value.size()); !lack.empty())
      return resourceExhausted("reference: variable '" + all[i].name + "' " +
                               lack);
    reference.variables[all[i].name] = {all[i].type,
                                        {value.begin(), value.end()}};
  }
  reference.program = std::move(program);
  return reference;
}

StatusOr<std::vector<ReferenceOutput>>
ReferenceProgram::step(std::string_view name, const NamedTensors &inputs,
                       uint32_t microbatches) {
  const std::vector<Entry> &entries = program->program().entries;
  const auto entry =
      std::find_if(entries.begin(), entries.end(),
                   [&](const Entry &one) { return one.name == name; });
  if (entry == entries.end())
    return invalidArgument("the program has no entry '" + std::string(name) +
                           "'");
  if (entry->graph.values.empty())
    return failedPrecondition("entry '" + entry->name +
                              "' was compiled without its graph; there is "
                              "nothing to evaluate");
  const std::vector<GraphOp> &ops = entry->graph.ops;
  if (entry->microbatches && std::none_of(ops.begin(), ops.end(), isOfUpdate))
    return failedPrecondition(
        "entry '" + entry->name +
        "' computes something once per step, and programs before format 1.3 do "
        "not say what; compile the program again");
  Step step(*entry, inputs, variables);
  SMP_RETURN_IF_ERROR(step.run(microbatches));
  variables = step.takeVariables();
  return std::move(step.outputs);
}

} // namespace smp
