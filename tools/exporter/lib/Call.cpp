// SPDX-License-Identifier: Apache-2.0
#include "Call.h"
#include <numeric>

namespace smp::exporter {

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

void Call::noteLack(std::string what) const {
  if (lacking.empty())
    lacking = std::move(what);
}

const TensorType &Call::type(size_t i) const {
  static const TensorType kNone;
  if (i < op.operands.size())
    return graph.values[op.operands[i]].type;
  noteLack("without operand " + std::to_string(i));
  return kNone;
}

int64_t Call::size(size_t i, int64_t dimension) const {
  if (dimension >= 0 && uint64_t(dimension) < shape(i).size())
    return shape(i)[size_t(dimension)];
  noteLack("without dimension " + std::to_string(dimension));
  return 0;
}

const TensorType &Call::result() const {
  return graph.values[op.results[0]].type;
}

/// The attribute of that type, or null.
template <typename T>
static const T *find(const GraphOp &op, const char *name) {
  const auto found = op.attributes.find(name);
  return found == op.attributes.end() ? nullptr
                                      : std::get_if<T>(&found->second);
}

const std::vector<int64_t> &Call::ints(const char *name) const {
  static const std::vector<int64_t> kNone;
  if (const auto *list = find<std::vector<int64_t>>(op, name))
    return *list;
  noteLack(std::string("without attribute '") + name + "'");
  return kNone;
}

int64_t Call::integer(const char *name) const {
  const auto *value = find<int64_t>(op, name);
  return value ? *value : 0;
}

double Call::number(const char *name) const {
  if (const auto *value = find<double>(op, name))
    return *value;
  noteLack(std::string("without attribute '") + name + "'");
  return 0;
}

std::string Call::word(const char *name, const char *otherwise) const {
  const auto *value = find<std::string>(op, name);
  return value ? *value : otherwise;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether values of that type are computed in another one.
bool Call::isWorked(DType one) const {
  return working && *working != one && !op.operands.empty() &&
         one == type(0).dtype;
}

std::string Call::operand(size_t i) {
  const TensorType &own = type(i);
  if (i >= op.operands.size())
    return {};
  const uint32_t value = op.operands[i];
  if (!isWorked(own.dtype))
    return names[value];
  std::string &name = worked[value];
  if (name.empty())
    name = cast(names[value], own.dtype, *working);
  return name;
}

Names Call::operands() {
  Names list = {operand(0)}; // There is one at least.
  for (size_t i = 1; i < op.operands.size(); ++i)
    list.push_back(operand(i));
  return list;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::string Call::make(const Node &node) {
  std::string value = to.fresh(names[op.results[0]] + "/" + node.type);
  to.add(value, node, {value});
  return value;
}

void Call::give(const Node &node) {
  if (op.results.size() == 1)
    return giveResult(0, node);
  Names outputs;
  for (const uint32_t value : op.results)
    outputs.push_back(names[value]);
  to.add(op.name, node, outputs);
}

void Call::giveResult(size_t i, const Node &node) {
  if (i >= op.results.size())
    return noteLack("without result " + std::to_string(i));
  const uint32_t value = op.results[i];
  const DType wanted = graph.values[value].type.dtype;
  to.add(op.name, isWorked(wanted) ? to.cast(make(node), wanted) : node,
         {names[value]});
}

std::string Call::cast(const std::string &value, DType from, DType type) {
  return from == type ? value : make(to.cast(value, type));
}

std::string Call::reshaped(const std::string &value, const Shape &from,
                           const Shape &shape) {
  return from == shape ? value : make(to.reshape(value, shape));
}

std::string Call::transposed(const std::string &value,
                             const std::vector<int64_t> &permutation) {
  std::vector<int64_t> same(permutation.size());
  std::iota(same.begin(), same.end(), 0);
  return permutation == same ? value : make(to.transpose(value, permutation));
}

DType widened(DType type) {
  const bool isNarrow = type == DType::I8 || type == DType::I16 ||
                        type == DType::U8 || type == DType::U16;
  return isNarrow ? DType::I32 : type;
}

DType withoutHalves(DType type) {
  return type == DType::BF16 || type == DType::F16 ? DType::F32 : type;
}

} // namespace smp::exporter
