// SPDX-License-Identifier: Apache-2.0
#include "ReferenceRun.h"
#include "smp/exec/RunnableProgram.h"
#include "smp/model/Reference.h"
#include <algorithm>
#include <cstring>

namespace smp {

namespace {

/// A program's entry with its variables' first values.
class Reference {
public:
  static StatusOr<Reference> open(const std::string &path,
                                  const std::string &name);
  StatusOr<std::vector<HostTensor>> run(const NamedTensors &inputs,
                                        uint32_t microbatches);

private:
  Status readVariables();
  StatusOr<uint32_t> countMicrobatches(const NamedTensors &inputs,
                                       uint32_t asked) const;

  std::shared_ptr<RunnableProgram> program;
  const Entry *entry = nullptr;
  NamedTensors variables;
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
  const bool split = tensor.batchAxis >= 0;
  for (uint64_t row = 0; row < rows && rowBytes; ++row) {
    std::byte *there =
        whole + (split ? (row * count + m) * rowBytes : row * rowBytes);
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

StatusOr<Reference> Reference::open(const std::string &path,
                                    const std::string &name) {
  Reference reference;
  auto opened = RunnableProgram::open(path);
  if (!opened.ok())
    return opened.status();
  reference.program = opened.take();
  for (const Entry &entry : reference.program->program().entries)
    if (entry.name == name)
      reference.entry = &entry;
  if (!reference.entry)
    return invalidArgument("the program has no entry '" + name + "'");
  if (reference.entry->microbatches > 0)
    return failedPrecondition("entry '" + name +
                              "' computes something once per step; the "
                              "reference knows microbatches only");
  if (reference.entry->graph.values.empty())
    return failedPrecondition("entry '" + name +
                              "' was compiled without its graph; there is "
                              "nothing to evaluate");
  SMP_RETURN_IF_ERROR(reference.readVariables());
  return reference;
}

Status Reference::readVariables() {
  const std::vector<Variable> &all = program->program().variables;
  for (uint32_t i = 0; i < all.size(); ++i) {
    auto value = program->initialValue(i);
    if (!value.ok())
      return value.status();
    variables[all[i].name] = {all[i].type, {value->begin(), value->end()}};
  }
  return Status();
}

StatusOr<uint32_t> Reference::countMicrobatches(const NamedTensors &inputs,
                                                uint32_t asked) const {
  uint32_t count = std::max(1u, asked);
  for (const EntryTensor &tensor : entry->inputs) {
    const auto given = inputs.find(tensor.name);
    if (given == inputs.end())
      return invalidArgument("entry '" + entry->name + "' needs input '" +
                             tensor.name + "', a " + toString(tensor.type));
    const int64_t each =
        tensor.batchAxis < 0 ? 0 : tensor.type.shape[size_t(tensor.batchAxis)];
    if (each && given->second.type.shape.size() == tensor.type.shape.size())
      count =
          uint32_t(given->second.type.shape[size_t(tensor.batchAxis)] / each);
  }
  for (const EntryTensor &tensor : entry->inputs)
    if (const TensorType &given = inputs.find(tensor.name)->second.type;
        !(given == wholeType(tensor, count)))
      return invalidArgument(
          "input '" + tensor.name + "' is a " + toString(given) + "; for " +
          std::to_string(count) + " microbatches it must be a " +
          toString(wholeType(tensor, count)));
  return count;
}

StatusOr<std::vector<HostTensor>> Reference::run(const NamedTensors &inputs,
                                                 uint32_t microbatches) {
  StatusOr<uint32_t> counted = countMicrobatches(inputs, microbatches);
  if (!counted.ok())
    return counted.status();
  const uint32_t count = *counted;
  std::vector<HostTensor> outputs;
  for (const EntryTensor &tensor : entry->outputs)
    outputs.push_back(HostTensor::zeros(wholeType(tensor, count)));
  for (uint32_t m = 0; m < count; ++m) {
    std::vector<HostTensor> parts;
    for (const EntryTensor &tensor : entry->inputs) {
      parts.push_back(HostTensor::zeros(tensor.type));
      HostTensor whole = inputs.find(tensor.name)->second;
      copyPart(tensor, whole.bytes.data(), parts.back().bytes.data(), m, count,
               false);
    }
    Evaluation result =
        evaluate(entry->graph, parts, [this](std::string_view name) {
          const auto found = variables.find(name);
          return found == variables.end() ? nullptr : &found->second;
        });
    if (!result.ok())
      return invalidArgument("reference: " + result.error);
    for (auto &[name, value] : result.assigned)
      variables[name] = std::move(value);
    for (size_t i = 0; i < outputs.size(); ++i)
      copyPart(entry->outputs[i], outputs[i].bytes.data(),
               result.results[i].bytes.data(), m, count, true);
  }
  return outputs;
}

StatusOr<std::vector<HostTensor>> runReference(const std::string &program,
                                               const std::string &entry,
                                               const NamedTensors &inputs,
                                               uint32_t microbatches) {
  StatusOr<Reference> reference = Reference::open(program, entry);
  if (!reference.ok())
    return reference.status();
  return reference->run(inputs, microbatches);
}

} // namespace smp
