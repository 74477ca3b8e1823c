// SPDX-License-Identifier: Apache-2.0
// What a step gives: outputs by name and type, and what becomes of the values
// that microbatches give to one.

#include "Pieces.h"

namespace smp {

/// "output 'y', 2 microbatches of i64[4], ".
static std::string describe(const OutputTensor &output) {
  return "output '" + std::string(output.name) + "', " +
         std::to_string(output.microbatches) + " microbatches of " +
         toString(valueType(output)) + ", ";
}

const OutputTensor *StepOutput::find(std::string_view name) const {
  for (const OutputTensor &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

Status StepOutput::notThere(std::string_view name) const {
  std::string names;
  for (const OutputTensor &tensor : tensors)
    names += (names.empty() ? "'" : ", '") + std::string(tensor.name) + "'";
  return invalidArgument("no output '" + std::string(name) +
                         "'; the step has " + (names.empty() ? "none" : names));
}

Status OutputTensor::wrongType(DType asked) const {
  return invalidArgument("output '" + std::string(name) + "' has " +
                         std::string(toString(dtype)) + " elements; " +
                         std::string(toString(asked)) + " was asked for");
}

static HostTensor reduced(const OutputTensor &output, Reduced what) {
  HostTensor result = HostTensor::zeros(valueType(output));
  Pieces(output).reduce(what, result.bytes.data());
  return result;
}

std::vector<HostTensor> OutputTensor::outputs() const {
  const Pieces pieces(*this);
  std::vector<HostTensor> values;
  values.reserve(microbatches);
  for (uint32_t m = 0; m < microbatches; ++m)
    pieces.copy(
        m,
        values.emplace_back(HostTensor::zeros(valueType(*this))).bytes.data());
  return values;
}

StatusOr<HostTensor> OutputTensor::reduceSum() const {
  if (dtype == DType::Bool)
    return invalidArgument(describe(*this) +
                           "has no sum: bool is no number; take stack()");
  return reduced(*this, Reduced::Sum);
}

StatusOr<HostTensor> OutputTensor::reduceMean() const {
  if (!isFloat(dtype))
    return invalidArgument(describe(*this) +
                           "has no mean: it is no float; take " +
                           (dtype == DType::Bool ? "stack()" : "reduceSum()") +
                           " or convert it in the model");
  return reduced(*this, Reduced::Mean);
}

StatusOr<HostTensor> OutputTensor::concat() const {
  if (batchAxis < 0)
    return invalidArgument(describe(*this) +
                           "has no batch axis to join them along; take "
                           "stack(), which makes a new first axis");
  HostTensor result{{dtype, {shape.begin(), shape.end()}}, {}};
  const auto *from = static_cast<const std::byte *>(data);
  result.bytes.assign(from, from + bytes);
  return result;
}

StatusOr<HostTensor> OutputTensor::merge() const { return concat(); }

HostTensor OutputTensor::stack() const {
  const Pieces pieces(*this);
  TensorType type = valueType(*this);
  type.shape.insert(type.shape.begin(), microbatches);
  HostTensor result = HostTensor::zeros(std::move(type));
  const uint64_t each = pieces.rows * pieces.rowBytes;
  for (uint32_t m = 0; m < microbatches; ++m)
    pieces.copy(m, result.bytes.data() + each * m);
  return result;
}

StatusOr<HostTensor> OutputTensor::accumulate(std::string_view method) const {
  if (method != "variable" && method != "add_n" && method != "accumulate_n")
    return invalidArgument(
        "output '" + std::string(name) + "' cannot be accumulated by method '" +
        std::string(method) +
        "'; the methods are: 'variable', 'add_n', 'accumulate_n'");
  return reduceMean();
}

} // namespace smp
