// SPDX-License-Identifier: Apache-2.0
// Ops over constants are evaluated while importing when that is cheap: shapes
// are computed so.

#include "Emitter.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/ModelTypes.h"
#include "smp/model/Reference.h"
#include <cmath>

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

static constexpr int64_t kMaxFoldedBytes = 64 * 1024;
static constexpr double kMaxFoldedFlops = 1e6;

/// Whether evaluating `op` now is cheap and its results are small.
static bool isWorthEvaluating(Operation *op) {
  int64_t bytes = 0;
  for (Type type : op->getResultTypes())
    bytes += toModel(cast<RankedTensorType>(type)).bytes();
  auto cost = dyn_cast<CostOpInterface>(op);
  return bytes <= kMaxFoldedBytes &&
         (!cost || cost.getFlops() <= kMaxFoldedFlops);
}

/// The operands, when all are constants.
static std::optional<std::vector<HostTensor>> constantOperands(Operation *op) {
  std::vector<HostTensor> operands;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr elements = constantOf(operand);
    if (!elements || elements.getNumElements() > kMaxFoldedBytes)
      return std::nullopt;
    operands.push_back(toHost(elements));
  }
  return operands;
}

/// The results by the reference evaluator; nothing when it has none.
static std::optional<std::vector<HostTensor>>
evaluate(Operation *op, const std::vector<HostTensor> &operands,
         const std::vector<TensorType> &types) {
  std::vector<const HostTensor *> borrowed;
  for (const HostTensor &operand : operands)
    borrowed.push_back(&operand);
  auto exported = exportOp(op);
  if (failed(exported))
    return std::nullopt;
  Evaluation evaluation = evaluateOp(*exported, borrowed, types);
  if (!evaluation.ok())
    return std::nullopt;
  return std::move(evaluation.results);
}

static std::vector<TensorType> resultTypes(Operation *op) {
  std::vector<TensorType> types;
  for (Type type : op->getResultTypes())
    types.push_back(toModel(cast<RankedTensorType>(type)));
  return types;
}

static bool evaluateNow(Operation *op, SmallVectorImpl<OpFoldResult> &folded) {
  if (!isWorthEvaluating(op))
    return false;
  auto operands = constantOperands(op);
  auto results = operands ? evaluate(op, *operands, resultTypes(op))
                          : std::optional<std::vector<HostTensor>>();
  if (!results)
    return false;
  for (const HostTensor &result : *results)
    folded.push_back(toAttr(op->getContext(), result.type, result.bytes));
  return true;
}

bool Emitter::tryFold(Operation *op, SmallVectorImpl<Value> &results) {
  SmallVector<OpFoldResult> folded;
  if (isa<ConstantOp>(op) || op->getNumResults() == 0)
    return false;
  if ((failed(op->fold(folded)) || folded.empty()) && !evaluateNow(op, folded))
    return false;
  std::string excess = findExcess(op);
  for (auto [result, type] : llvm::zip(folded, op->getResultTypes())) {
    auto value = dyn_cast<Value>(result);
    if (!value)
      value = ConstantOp::create(builder, location, type,
                                 cast<ElementsAttr>(cast<Attribute>(result)));
    if (!excess.empty() && value.getDefiningOp<ConstantOp>())
      excessive.try_emplace(value, excess);
    results.push_back(value);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Numbers that are too large
//===----------------------------------------------------------------------===//

static bool isI64(Type type) {
  return getElementTypeOrSelf(type).isInteger(64);
}

/// Whether the op computes integers that 64 bits may not hold, so that they
/// wrap.
static bool mayWrap(Operation *op) {
  return isa<AddOp, SubOp, MulOp, PowOp, NegOp, ReduceOp, ScanOp, DotGeneralOp>(
             op) &&
         llvm::all_of(op->getOperandTypes(), isI64) &&
         llvm::all_of(op->getResultTypes(), isI64);
}

static HostTensor asF64(const HostTensor &integers) {
  HostTensor numbers = HostTensor::zeros({DType::F64, integers.type.shape});
  llvm::copy(integers.as<int64_t>(), numbers.as<double>().begin());
  return numbers;
}

/// The op over f64 tells what it would give if integers did not wrap: what does
/// is off by 2^64 or more.
static std::optional<double> findWrapped(Operation *op) {
  auto operands = constantOperands(op);
  if (!operands)
    return std::nullopt;
  std::vector<TensorType> types = resultTypes(op);
  auto wrapping = evaluate(op, *operands, types);
  llvm::transform(*operands, operands->begin(), asF64);
  for (TensorType &type : types)
    type.dtype = DType::F64;
  auto whole = evaluate(op, *operands, types);
  if (!wrapping || !whole)
    return std::nullopt;
  for (auto [integers, numbers] : llvm::zip_equal(*wrapping, *whole))
    for (auto [integer, number] :
         llvm::zip_equal(integers.as<int64_t>(), numbers.as<double>()))
      if (!(std::abs(number - double(integer)) < 0x1p62))
        return number;
  return std::nullopt;
}

/// What is too large in the constants that `op` is evaluated from, or in what
/// it gives; empty when nothing is.
std::string Emitter::findExcess(Operation *op) const {
  for (Value operand : op->getOperands())
    if (auto found = excessive.find(operand); found != excessive.end())
      return found->second;
  std::optional<double> wrapped;
  if (mayWrap(op))
    wrapped = findWrapped(op);
  if (!wrapped)
    return {};
  char number[32];
  std::snprintf(number, sizeof(number), "%.3g", *wrapped);
  return number;
}

std::string Emitter::excessOf(Value value) const {
  return excessive.lookup(value);
}

} // namespace smp::frontend
