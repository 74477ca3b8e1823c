// SPDX-License-Identifier: Apache-2.0
// Evaluating ops one by one.

#include "Table.h"
#include "smp/model/HostMemory.h"
#include "smp/model/Reference.h"
#include <algorithm>

using namespace smp;
using namespace smp::reference;

/// Every entry by its mnemonic, in order.
static const std::map<std::string_view, Entry> &entryTable() {
  static const auto &table = *new std::map<std::string_view, Entry>([] {
    std::map<std::string_view, Entry> entries;
    for (auto family : {unaryOps, binaryOps, convertOps})
      for (Entry entry : family()) {
        entry.splats = Splats::Elementwise;
        entries.emplace(entry.mnemonic, entry);
      }
    for (auto family :
         {shapeOps, contractionOps, packedOps, windowOps, reductionOps,
          gatherOps, scatterOps, activationOps, normOps, statisticsOps})
      for (const Entry &entry : family())
        entries.emplace(entry.mnemonic, entry);
    return entries;
  }());
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

std::string smp::reference::describe(const GraphOp &op) {
  return op.name.empty() ? "op (" + op.mnemonic + ")"
                         : "op '" + op.name + "' (" + op.mnemonic + ")";
}

static Outcome failure(const GraphOp &op, const std::string &reason) {
  return {{}, describe(op) + ": " + reason};
}

/// Whether a type's shape and size in bytes are sound.
static bool isSound(const TensorType &type) {
  std::optional<int64_t> elements = checkedNumElements(type.shape);
  return elements && *elements <= INT64_MAX / 32;
}

std::string smp::reference::checkTensor(const HostTensor &tensor) {
  if (!isSound(tensor.type))
    return "has the impossible type " + toString(tensor.type);
  if (tensor.bytes.size() == size_t(tensor.type.bytes()))
    return {};
  return "of type " + toString(tensor.type) + " has " +
         std::to_string(tensor.bytes.size()) + " bytes";
}

/// What is wrong with a call before its op is asked; empty: nothing.
static std::string checkCall(const Entry *entry,
                             std::span<const Operand> operands,
                             std::span<const TensorType> resultTypes) {
  if (!entry)
    return "has no reference";
  const bool variadic = entry->operands == kVariadic;
  if (variadic ? operands.empty() : operands.size() != entry->operands)
    return "has " + std::to_string(operands.size()) + " operands; it takes " +
           (variadic ? "at least 1" : std::to_string(entry->operands));
  if (resultTypes.size() != entry->results)
    return "has " + std::to_string(resultTypes.size()) + " results; it gives " +
           std::to_string(entry->results);
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].tensor)
      if (std::string wrong = checkTensor(*operands[i].tensor); !wrong.empty())
        return "operand " + std::to_string(i) + " " + wrong;
  for (const TensorType &type : resultTypes)
    if (!isSound(type))
      return "has a result of the impossible type " + toString(type);
  return {};
}

//===----------------------------------------------------------------------===//
// Splats
//===----------------------------------------------------------------------===//

HostTensor smp::reference::writeOut(const Splat &splat) {
  HostTensor tensor = HostTensor::zeros(splat.type);
  tensor.fill(splat.element);
  return tensor;
}

/// All elements of a value; why they take too much memory in `error`.
static HostTensor writeOut(Value value, std::string &error) {
  if (auto *tensor = std::get_if<HostTensor>(&value))
    return std::move(*tensor);
  const Splat &splat = std::get<Splat>(value);
  error = checkMemory(uint64_t(splat.type.bytes()));
  return error.empty() ? writeOut(splat) : HostTensor();
}

/// Whether an op is over splats element by element, and its results are of
/// their shape.
static bool isOverSplats(const Entry &entry, std::span<const Operand> operands,
                         std::span<const TensorType> resultTypes) {
  return entry.splats == Splats::Elementwise &&
         std::all_of(operands.begin(), operands.end(),
                     [&](const Operand &operand) {
                       return operand.splat &&
                              operand.type().shape == resultTypes[0].shape;
                     });
}

/// The op on the one element of each splat.
static Outcome evaluateOnce(const Entry &entry, const GraphOp &op,
                            std::span<const Operand> operands,
                            const TensorType &resultType) {
  std::vector<HostTensor> elements;
  std::vector<const HostTensor *> borrowed;
  elements.reserve(operands.size());
  for (const Operand &operand : operands) {
    elements.push_back({{operand.type().dtype, {}}, operand.splat->element});
    borrowed.push_back(&elements.back());
  }
  const TensorType one{resultType.dtype, {}};
  Call call(op, borrowed, std::span(&one, 1));
  entry.evaluate(call);
  if (call.failed())
    return failure(op, call.error);
  HostTensor &result = std::get<HostTensor>(call.results[0]);
  return {{Splat{resultType, std::move(result.bytes)}}, {}};
}

/// What an op passes on that is one element: its constant, or its operand 0.
static std::optional<Splat> passedOn(const Entry &entry, const GraphOp &op,
                                     std::span<const Operand> operands) {
  if (entry.splats != Splats::Kept)
    return std::nullopt;
  if (operands.empty()) {
    auto value = op.attributes.find("value");
    const auto *splat = value == op.attributes.end()
                            ? nullptr
                            : std::get_if<Splat>(&value->second);
    return splat ? std::optional<Splat>(*splat) : std::nullopt;
  }
  if (operands[0].splat)
    return *operands[0].splat;
  if (operands[0].type().elements() != 1)
    return std::nullopt;
  return Splat{operands[0].type(), operands[0].tensor->bytes};
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// What evaluating takes at most beside tensors that are there: splats written
/// out, each element read twice as a number, and results with their numbers.
static uint64_t bytesNeeded(std::span<const Operand> operands,
                            std::span<const TensorType> resultTypes,
                            bool passesOn) {
  uint64_t sum = 0;
  const auto add = [&](int64_t bytes) {
    if (__builtin_add_overflow(sum, uint64_t(bytes), &sum))
      sum = UINT64_MAX;
  };
  for (const Operand &operand : operands.subspan(passesOn && !operands.empty()))
    add(operand.type().elements() * 16 +
        (operand.splat ? operand.type().bytes() : 0));
  if (!passesOn)
    for (const TensorType &type : resultTypes)
      add(type.elements() * 8 + type.bytes());
  return sum;
}

Outcome smp::reference::evaluateValues(const GraphOp &op,
                                       std::span<const Operand> operands,
                                       std::span<const TensorType> types) {
  const Entry *entry = findEntry(op.mnemonic);
  if (std::string wrong = checkCall(entry, operands, types); !wrong.empty())
    return failure(op, wrong);
  if (isOverSplats(*entry, operands, types))
    return evaluateOnce(*entry, op, operands, types[0]);
  const std::optional<Splat> splat = passedOn(*entry, op, operands);
  std::string lack =
      checkMemory(bytesNeeded(operands, types, splat.has_value()));
  if (!lack.empty())
    return failure(op, lack);
  std::vector<HostTensor> written(operands.size());
  std::vector<const HostTensor *> whole;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = operands[i];
    if (i == 0 && splat)
      written[i].type = splat->type;
    else if (operand.splat)
      written[i] = writeOut(*operand.splat);
    whole.push_back(operand.tensor ? operand.tensor : &written[i]);
  }
  Call call(op, whole, types);
  call.splat = splat ? &*splat : nullptr;
  entry->evaluate(call);
  if (call.failed())
    return failure(op, call.error);
  return {std::move(call.results), {}};
}

Evaluation smp::evaluateOp(const GraphOp &op,
                           std::span<const HostTensor *const> operands,
                           std::span<const TensorType> resultTypes) {
  std::vector<Operand> borrowed;
  for (const HostTensor *operand : operands)
    borrowed.push_back({operand});
  Outcome outcome = evaluateValues(op, borrowed, resultTypes);
  Evaluation evaluation;
  evaluation.error = std::move(outcome.error);
  for (Value &result : outcome.results) {
    std::string lack;
    evaluation.results.push_back(writeOut(std::move(result), lack));
    if (!lack.empty())
      evaluation.error = describe(op) + ": " + lack;
  }
  return evaluation;
}
