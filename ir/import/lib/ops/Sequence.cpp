// SPDX-License-Identifier: Apache-2.0
// Sequences of tensors and optional values: they exist while importing only.

#include "../Importer.h"
#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// Input `i` as a place in a sequence of `count`, from its end when negative;
/// nothing after an error.
static std::optional<int64_t> placeIn(Node &node, int64_t i, int64_t count,
                                      int64_t bound) {
  auto place = node.constant(i, "position");
  if (!place)
    return std::nullopt;
  if (place->size() == 1 && place->front() >= -count && place->front() < bound)
    return fromEnd(place->front(), count);
  node.error("names a place outside a sequence of " + Twine(count));
  return std::nullopt;
}

void importSequenceConstruct(Node &node) { node.setSequence(node.inputs()); }

void importSequenceEmpty(Node &node) {
  node.integer("dtype");
  node.setSequence({});
}

void importSequenceInsert(Node &node) {
  auto sequence = node.sequence(0);
  if (!sequence)
    return;
  int64_t count = int64_t(sequence->size());
  std::optional<int64_t> place = count;
  if (node.has(2))
    place = placeIn(node, 2, count, count + 1);
  if (!place)
    return;
  sequence->insert(sequence->begin() + *place, node[1]);
  node.setSequence(*sequence);
}

void importSequenceErase(Node &node) {
  auto sequence = node.sequence(0);
  if (!sequence)
    return;
  int64_t count = int64_t(sequence->size());
  if (count == 0)
    return (void)node.error("erases from an empty sequence");
  std::optional<int64_t> place = count - 1;
  if (node.has(1))
    place = placeIn(node, 1, count, count);
  if (!place)
    return;
  sequence->erase(sequence->begin() + *place);
  node.setSequence(*sequence);
}

void importSequenceAt(Node &node) {
  auto sequence = node.sequence(0);
  if (!sequence)
    return;
  int64_t count = int64_t(sequence->size());
  if (auto place = placeIn(node, 1, count, count))
    node.set((*sequence)[*place]);
}

void importSequenceLength(Node &node) {
  if (auto sequence = node.sequence(0))
    node.set(node.emit.asked({int64_t(sequence->size())}, {}));
}

void importConcatFromSequence(Node &node) {
  Emitter &e = node.emit;
  auto sequence = node.sequence(0);
  bool isStack = node.flag("new_axis");
  if (!sequence)
    return;
  if (sequence->empty())
    return (void)node.error("joins an empty sequence");
  auto axis = node.axis("axis", 0, rankOf(sequence->front()) + isStack);
  if (!axis)
    return;
  if (isStack)
    for (Value &value : *sequence)
      value = e.unsqueeze(value, *axis);
  node.set(e.concat(*sequence, *axis));
}

/// Bounds the parts of a split.
static constexpr int64_t kMaxParts = 65536;

void importSplitToSequence(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  auto axis = node.axis("axis", 0, rankOf(x));
  bool keeps = node.flag("keepdims", true);
  if (!axis)
    return;
  int64_t size = dimOf(x, *axis);
  IntVector parts;
  if (node.has(1)) {
    auto split = node.constant(1, "split");
    if (!split)
      return;
    parts = *split;
    if (rankOf(node[1]) == 0) { // Chunks of that size, the last may be smaller.
      int64_t chunk = parts.front();
      if (chunk < 1 || size / chunk > kMaxParts)
        return (void)node.error("splits into chunks of " + Twine(chunk));
      parts.clear();
      for (int64_t start = 0; start < size; start += chunk)
        parts.push_back(std::min(chunk, size - start));
    }
    keeps = true;
  } else if (size <= kMaxParts) {
    parts.assign(size, 1);
  }
  SmallVector<Value> sequence;
  int64_t start = 0;
  for (int64_t part : parts) {
    if (part < 0 || part > size - start)
      return (void)node.error("takes " + Twine(part) + " of the remaining " +
                              Twine(size - start) + " elements");
    Value piece = e.slice(x, *axis, start, start + part);
    sequence.push_back(keeps ? piece : e.squeeze(piece, *axis));
    start += part;
  }
  if (start != size)
    return (void)node.error("splits " + Twine(start) + " of " + Twine(size) +
                            " elements");
  node.setSequence(sequence);
}

/// What is there is passed on as it is.
void importOptional(Node &node) {
  node.ignore("type");
  if (node.has(0))
    return importIdentity(node);
  node.error("makes an optional value without an element, which is not "
             "supported");
}

void importOptionalHasElement(Node &node) {
  Emitter &e = node.emit;
  bool has = node.has(0) && (node.isSequence(0) || node[0]);
  node.set(e.scalar(e.builder.getI1Type(), has));
}

/// The body for each element of its first input, a sequence.
void importSequenceMap(Node &node) {
  onnx::GraphProto *body = node.graph("body");
  auto first = node.sequence(0);
  if (!body || !first)
    return (void)node.error("has no body or no sequence");
  std::vector<SmallVector<Value>> results(body->output_size());
  for (size_t i = 0; i < first->size(); ++i) {
    SmallVector<Value> inputs{(*first)[i]};
    for (int64_t k = 1; k < node.numInputs(); ++k) {
      if (!node.isSequence(k)) {
        inputs.push_back(node[k]);
        continue;
      }
      auto other = node.sequence(k);
      if (!other || other->size() != first->size())
        return (void)node.error("maps sequences of different lengths");
      inputs.push_back((*other)[i]);
    }
    auto given = node.importer.importBody(*body, node.scope, inputs);
    if (!given)
      return;
    for (auto [list, value] : llvm::zip(results, *given))
      list.push_back(value);
  }
  for (auto [i, list] : llvm::enumerate(results))
    node.setSequence(int64_t(i), list);
}

} // namespace smp::frontend
