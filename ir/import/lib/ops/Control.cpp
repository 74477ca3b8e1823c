// SPDX-License-Identifier: Apache-2.0
// Bodies that are chosen or repeated while importing.

#include "../Importer.h"
#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// Values that bodies hand on; bounds what unrolling may make.
static constexpr int64_t kMaxIterations = 65536;

/// A flag that must be known while compiling.
static std::optional<bool> knownFlag(Node &node, Value value, StringRef what) {
  if (!value)
    return std::nullopt;
  if (int64_t size = typeOf(value).getNumElements(); size != 1) {
    node.error("has a " + what + " of " + Twine(size) +
               " elements; it must have one");
    return std::nullopt;
  }
  if (auto known = constantInts(value)) {
    node.noteRows(value);
    return known->front() != 0;
  }
  node.error(
      (Node::followsFromInputs(value)
           ? "has a " + what + " that depends on data, and it must be known"
           : "needs its " + what) +
      " while compiling: " + Node::howToFix(value));
  return std::nullopt;
}

void importIf(Node &node) {
  onnx::GraphProto *onTrue = node.graph("then_branch");
  onnx::GraphProto *onFalse = node.graph("else_branch");
  auto condition = knownFlag(node, node[0], "condition");
  if (!condition)
    return;
  onnx::GraphProto *branch = *condition ? onTrue : onFalse;
  if (!branch)
    return (void)node.error("lacks the branch that its condition chooses");
  auto results = node.importer.importBody(*branch, node.scope, {});
  if (!results)
    return;
  for (auto [i, value] : llvm::enumerate(*results))
    node.set(int64_t(i), value);
}

/// Values of scan outputs, an element per iteration, stacked along `axis`.
static Value stack(Emitter &e, ArrayRef<Value> values, int64_t axis) {
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(e.unsqueeze(value, axis));
  return e.concat(parts, axis);
}

void importLoop(Node &node) {
  Emitter &e = node.emit;
  onnx::GraphProto *body = node.graph("body");
  std::optional<IntVector> limit;
  if (node.has(0) && !(limit = node.constant(0, "trip count")))
    return;
  std::optional<bool> runs = true;
  if (node.has(1))
    runs = knownFlag(node, node[1], "condition");
  if (!body || !runs || (limit && limit->size() != 1))
    return (void)node.error("has no body or no single trip count");
  SmallVector<Value> carried = node.inputs(2);
  size_t numCarried = carried.size();
  if (size_t(body->output_size()) < 1 + numCarried)
    return (void)node.error("has a body with too few outputs");
  size_t numScanned = size_t(body->output_size()) - 1 - numCarried;
  std::vector<SmallVector<Value>> scanned(numScanned);
  for (int64_t i = 0; *runs && (!limit || i < limit->front()); ++i) {
    if (i >= kMaxIterations)
      return (void)node.error("runs more than " + Twine(kMaxIterations) +
                              " times");
    SmallVector<Value> inputs{
        e.ints({i}, {}),
        e.splat(RankedTensorType::get({}, e.builder.getI1Type()), 1)};
    inputs.append(carried);
    auto results = node.importer.importBody(*body, node.scope, inputs);
    if (!results)
      return;
    runs = knownFlag(node, results->front(), "condition");
    if (!runs)
      return;
    carried.assign(results->begin() + 1, results->begin() + 1 + numCarried);
    for (size_t k = 0; k < numScanned; ++k)
      scanned[k].push_back((*results)[1 + numCarried + k]);
  }
  for (auto [i, value] : llvm::enumerate(carried))
    node.set(int64_t(i), value);
  for (auto [i, values] : llvm::enumerate(scanned)) {
    if (values.empty())
      return (void)node.error("never runs, so its outputs have no shape");
    node.set(int64_t(numCarried + i), stack(e, values, 0));
  }
}

namespace {
/// Axes and directions of a Scan, one per scanned input or output.
struct ScanLists {
  IntVector axes, reversed;
};
} // namespace

static std::optional<ScanLists>
readScanLists(Node &node, const std::string &which, size_t count) {
  auto axes = node.integers("scan_" + which + "_axes");
  auto reversed = node.integers("scan_" + which + "_directions");
  ScanLists lists{axes ? *axes : IntVector(count, 0),
                  reversed ? *reversed : IntVector(count, 0)};
  if (lists.axes.size() == count && lists.reversed.size() == count)
    return lists;
  node.error("has lists of scanned " + which + "s of the wrong length");
  return std::nullopt;
}

/// 9: bodies without a batch. (Scan of opset 8 had one.)
void importScan(Node &node) {
  Emitter &e = node.emit;
  onnx::GraphProto *body = node.graph("body");
  int64_t numScanned = node.integer("num_scan_inputs", 0);
  int64_t numStates = node.numInputs() - numScanned;
  if (!body || numScanned < 1 || numStates < 0 ||
      body->output_size() < numStates)
    return (void)node.error("has no body that fits its inputs");
  size_t numOutputs = size_t(body->output_size() - numStates);
  auto in = readScanLists(node, "input", size_t(numScanned));
  auto out = readScanLists(node, "output", numOutputs);
  if (!in || !out)
    return;
  SmallVector<Value> states, scanned = node.inputs(numStates);
  for (int64_t i = 0; i < numStates; ++i)
    states.push_back(node[i]);
  for (auto [axis, value] : llvm::zip(in->axes, scanned)) {
    auto checked = node.checkAxis(axis, rankOf(value));
    if (!checked)
      return;
    axis = *checked;
  }
  int64_t length = dimOf(scanned[0], in->axes[0]);
  std::vector<SmallVector<Value>> results(numOutputs);
  node.noteSize(length);
  if (length < 1 || length > kMaxIterations)
    return (void)node.error("scans " + Twine(length) + " elements");
  for (int64_t i = 0; i < length; ++i) {
    SmallVector<Value> inputs(states);
    for (auto [k, value] : llvm::enumerate(scanned)) {
      if (dimOf(value, in->axes[k]) != length)
        return (void)node.error("scans inputs of different lengths");
      inputs.push_back(
          e.take(value, in->axes[k], in->reversed[k] ? length - 1 - i : i));
    }
    auto given = node.importer.importBody(*body, node.scope, inputs);
    if (!given)
      return;
    states.assign(given->begin(), given->begin() + numStates);
    for (size_t k = 0; k < numOutputs; ++k)
      results[k].push_back((*given)[size_t(numStates) + k]);
  }
  for (auto [i, value] : llvm::enumerate(states))
    node.set(int64_t(i), value);
  for (auto [k, values] : llvm::enumerate(results)) {
    if (out->reversed[k])
      std::reverse(values.begin(), values.end());
    auto axis = node.checkAxis(out->axes[k], rankOf(values.front()) + 1);
    if (axis)
      node.set(numStates + int64_t(k), stack(e, values, *axis));
  }
}

} // namespace smp::frontend
