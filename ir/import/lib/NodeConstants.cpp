// SPDX-License-Identifier: Apache-2.0
// Inputs of a node that must be known while importing.

#include "Importer.h"
#include "Node.h"
#include "smp/base/Lists.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace smp::frontend {

namespace {
/// What a value is computed from, each once.
struct Sources {
  SmallVector<BlockArgument> inputs;
  SmallVector<ir::ReadOp> reads;
};
} // namespace

static Sources sourcesOf(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  Sources sources;
  for (size_t next = 0; next < seen.size(); ++next) {
    if (auto input = dyn_cast<BlockArgument>(seen[next]))
      sources.inputs.push_back(input);
    else if (auto read = seen[next].getDefiningOp<ir::ReadOp>())
      sources.reads.push_back(read);
    else if (Operation *op = seen[next].getDefiningOp())
      seen.insert_range(op->getOperands());
  }
  llvm::sort(sources.inputs, [](BlockArgument a, BlockArgument b) {
    return a.getArgNumber() < b.getArgNumber();
  });
  return sources;
}

/// Why an initialiser is not known while compiling.
static std::string describeVariable(ir::ReadOp read) {
  auto variable = SymbolTable::lookupNearestSymbolFrom<ir::VariableOp>(
      read, read.getVariableAttr());
  std::string text =
      "it follows from initialiser '" + read.getVariable().str() + "', ";
  if (variable.getKind() != ir::VariableKind::Constant)
    return text + "which training changes; name what it changes with "
                  "--trainable";
  bool isFloats = isFloat(read.getValue());
  return text + "of " +
         std::to_string(ir::toModel(typeOf(read.getValue())).bytes()) +
         " bytes; one of " + (isFloats ? "floats" : "integers") +
         " is known while compiling if it has at most " +
         std::to_string(mostConstantBytes(isFloats)) + " bytes";
}

bool Node::followsFromInputs(Value value) {
  return !sourcesOf(value).inputs.empty();
}

std::string Node::howToFix(Value value) {
  Sources sources = sourcesOf(value);
  std::vector<std::string> names;
  std::string options;
  for (BlockArgument input : sources.inputs) {
    std::string name = ir::getValueName(input).str();
    bool isNumber = typeOf(input).getNumElements() == 1;
    options += " --constant " + name + (isNumber ? "=1" : "=x.npy");
    names.push_back(std::move(name));
  }
  if (!names.empty())
    return "it follows from input " + listNames(names) +
           "; bind what decides it, as in" + options;
  if (!sources.reads.empty())
    return describeVariable(sources.reads.front());
  return "it follows from constants that are too large to be evaluated while "
         "compiling";
}

bool Node::canList(Value value, StringRef what) {
  DenseElementsAttr elements = constantOf(value);
  if (!elements || elements.getNumElements() <= kMaxListed)
    return true;
  error("has a " + what + " of " + Twine(elements.getNumElements()) +
        " numbers; at most " + Twine(kMaxListed) + " are taken");
  return false;
}

std::optional<IntVector> Node::read(int64_t i, StringRef what) {
  Value value = input(i);
  if (!value || !canList(value, what))
    return std::nullopt;
  auto known = constantInts(value);
  if (!known)
    error("needs its " + what + " ('" + Twine(proto.input(int(i))) +
          "') while compiling, to know its shape: " + howToFix(value));
  if (std::string excess = emit.excessOf(value); !excess.empty()) {
    error("takes its " + what + " ('" + Twine(proto.input(int(i))) +
          "') from integers that 64 bits do not hold: one would be " + excess);
    return std::nullopt;
  }
  return known;
}

std::optional<IntVector> Node::constant(int64_t i, StringRef what) {
  auto known = read(i, what);
  if (known)
    noteRows(input(i));
  return known;
}

std::optional<IntVector> Node::sizes(int64_t i, StringRef what) {
  auto known = read(i, what);
  if (known && emit.rows && !emit.rows->isShape(input(i), *known))
    hasReadRows = true;
  return known;
}

void Node::noteRows(Value constant) {
  hasReadRows |= emit.rows && emit.rows->follows(constant);
}

void Node::noteSize(int64_t size) {
  hasReadRows |= emit.rows && emit.rows->ask({}, {size});
}

void Node::noteRanks() {
  for (Value value : outputs)
    noteSize(rankOf(value));
  for (auto [i, isSequence] : llvm::enumerate(isSequenceOutput))
    if (isSequence)
      noteSize(int64_t(scope.sequences[proto.output(int(i))].size()));
}

void Node::makeFollowRows() {
  for (auto [i, value] : llvm::enumerate(outputs))
    if (value)
      value = emit.following(value);
  for (auto [i, isSequence] : llvm::enumerate(isSequenceOutput))
    if (isSequence)
      for (Value &value : scope.sequences[proto.output(int(i))])
        value = emit.following(value);
}

std::optional<SmallVector<double>> Node::constantNumbers(int64_t i,
                                                         StringRef what) {
  Value value = input(i);
  if (!value || !canList(value, what))
    return std::nullopt;
  auto known = constantDoubles(value);
  if (!known)
    error("needs its " + what + " ('" + Twine(proto.input(int(i))) +
          "') while compiling: " + howToFix(value));
  noteRows(value);
  return known;
}

std::optional<IntVector> Node::integersOrInput(StringRef name, int64_t i) {
  if (has(i))
    return constant(i, name);
  return integers(name);
}

} // namespace smp::frontend
