// SPDX-License-Identifier: Apache-2.0
// Ops over constants are evaluated while importing when that is cheap: shapes
// are computed so.

#include "Emitter.h"
#include "Evaluation.h"
#include "smp/ir/ModelTypes.h"
#include <cmath>

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

static constexpr int64_t kMaxFoldedBytes = 64 * 1024;
static constexpr double kMaxFoldedFlops = 1e6;

/// Whether evaluating `op` now is cheap and its results are small.
static bool isWorthEvaluating(Operation *op, int64_t factor) {
  double bytes = 0, counted = 0;
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    bytes += double(toModel(tensor).bytes());
    counted += double(toModel(tensor.clone(ArrayRef<int64_t>())).bytes() *
                      countElements(tensor, factor));
  }
  auto cost = dyn_cast<CostOpInterface>(op);
  return counted <= kMaxFoldedBytes &&
         (!cost || bytes == 0 ||
          cost.getFlops() * counted / bytes <= kMaxFoldedFlops);
}

static bool evaluateNow(Operation *op, int64_t factor,
                        SmallVectorImpl<OpFoldResult> &folded) {
  if (!isWorthEvaluating(op, factor))
    return false;
  auto operands = constantOperands(op, factor);
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
  if (isa<ConstantOp>(op) || op->getNumResults() == 0 || mustStay(op))
    return false;
  if ((failed(op->fold(folded)) || folded.empty()) &&
      !evaluateNow(op, rows ? rows->rowFactor() : 0, folded))
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
  if (rows && llvm::all_of(op->getOperands(), constantOf))
    rows->derive(op, results);
  return true;
}

/// Whether what becomes of the op may follow from the number of rows, though it
/// is no number: what it is simplified to would not tell.
bool Emitter::mustStay(Operation *op) const {
  return rows && !llvm::all_of(op->getOperands(), constantOf) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return rows->follows(operand); });
}

Value Emitter::asked(Ints sizes, Ints shape) {
  Value constant = ints(sizes, shape);
  if (rows)
    rows->ask(constant, sizes);
  return constant;
}

Value Emitter::following(Value value) {
  // Not simplified: it must be another value than the one that it is made of.
  Operation *op = constantOf(value) ? value.getDefiningOp()->clone()
                                    : ReshapeOp::create(builder, location,
                                                        value.getType(), value);
  if (!op->getBlock())
    builder.insert(op);
  rows->follow(op->getResult(0));
  return op->getResult(0);
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
  auto operands = constantOperands(op, /*factor=*/0);
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
