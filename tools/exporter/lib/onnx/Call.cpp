// SPDX-License-Identifier: Apache-2.0
#include "Call.h"
#include <numeric>

namespace smp::onnx {

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

void Call::noteLack(std::string what) const {
  if (lacking.empty())
    lacking = std::move(what);
}

const std::string &Call::operand(size_t i) const {
  static const std::string kNone;
  if (i < op.operands.size())
    return names[op.operands[i]];
  noteLack("without operand " + std::to_string(i));
  return kNone;
}

Names Call::operands() const {
  Names list;
  for (size_t i = 0; i < op.operands.size(); ++i)
    list.push_back(operand(i));
  return list;
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
// Nodes
//===----------------------------------------------------------------------===//

std::string Call::make(const char *node, const Names &inputs,
                       const Attributes &attributes) {
  const std::string &wanted = names[op.results[0]];
  std::string value = nodes.fresh(wanted + "/" + node);
  nodes.add(node, value, inputs, {value}, attributes);
  return value;
}

void Call::give(const char *node, const Names &inputs,
                const Attributes &attributes) {
  Names outputs;
  for (const uint32_t value : op.results)
    outputs.push_back(names[value]);
  nodes.add(node, op.name, inputs, outputs, attributes);
}

void Call::giveFrom(DType from, const char *node, const Names &inputs,
                    const Attributes &attributes) {
  const DType to = result().dtype;
  if (from == to)
    return give(node, inputs, attributes);
  give("Cast", {make(node, inputs, attributes)}, {{"to", int64_t(toOnnx(to))}});
}

std::string Call::cast(const std::string &value, DType from, DType to) {
  return from == to ? value
                    : make("Cast", {value}, {{"to", int64_t(toOnnx(to))}});
}

std::string Call::reshaped(const std::string &value, const Shape &from,
                           const Shape &to) {
  if (from == to)
    return value;
  return make("Reshape", {value, nodes.ints(to)}, {{"allowzero", int64_t(1)}});
}

std::string Call::transposed(const std::string &value,
                             const std::vector<int64_t> &permutation) {
  std::vector<int64_t> same(permutation.size());
  std::iota(same.begin(), same.end(), 0);
  return permutation == same
             ? value
             : make("Transpose", {value}, {{"perm", permutation}});
}

DType widened(DType type) {
  const bool isNarrow = type == DType::I8 || type == DType::I16 ||
                        type == DType::U8 || type == DType::U16;
  return isNarrow ? DType::I32 : type;
}

DType withoutBf16(DType type) {
  return type == DType::BF16 ? DType::F32 : type;
}

} // namespace smp::onnx
