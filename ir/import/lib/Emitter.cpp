// SPDX-License-Identifier: Apache-2.0
#include "Emitter.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "smp/ir/Constants.h"
#include "smp/ir/ModelTypes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Asking values
//===----------------------------------------------------------------------===//

RankedTensorType typeOf(Value value) {
  return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}
Ints shapeOf(Value value) { return value ? typeOf(value).getShape() : Ints(); }
Type elementOf(Value value) {
  return value ? typeOf(value).getElementType() : Type();
}
int64_t rankOf(Value value) { return int64_t(shapeOf(value).size()); }
int64_t dimOf(Value value, int64_t dim) {
  Ints shape = shapeOf(value);
  return dim >= 0 && dim < int64_t(shape.size()) ? shape[dim] : 1;
}
bool isFloat(Value value) { return value && isa<FloatType>(elementOf(value)); }
bool isBool(Value value) { return value && elementOf(value).isInteger(1); }
bool isUnsigned(Value value) {
  return value && elementOf(value).isUnsignedInteger();
}

DenseElementsAttr constantOf(Value value) {
  DenseElementsAttr elements;
  if (value)
    matchPattern(value, m_Constant(&elements));
  return elements;
}

static bool isListed(DenseElementsAttr elements) {
  return elements && elements.getNumElements() <= kMaxListed;
}

std::optional<IntVector> constantInts(Value value) {
  DenseElementsAttr elements = constantOf(value);
  if (!isListed(elements) || !isa<IntegerType>(elements.getElementType()))
    return std::nullopt;
  bool isSigned = !elements.getElementType().isUnsignedInteger() &&
                  !elements.getElementType().isInteger(1);
  IntVector result;
  for (const APInt &element : elements.getValues<APInt>())
    result.push_back(isSigned ? element.getSExtValue()
                              : int64_t(element.getZExtValue()));
  return result;
}

std::optional<SmallVector<double>> constantDoubles(Value value) {
  SmallVector<double> result;
  if (auto elements = constantInts(value)) {
    result.assign(elements->begin(), elements->end());
    return result;
  }
  DenseElementsAttr elements = constantOf(value);
  if (!isListed(elements))
    return std::nullopt;
  for (APFloat element : elements.getValues<APFloat>()) {
    bool lost;
    element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    result.push_back(element.convertToDouble());
  }
  return result;
}

std::optional<IntVector> broadcastShapes(Ints x, Ints y) {
  if (x.size() < y.size())
    std::swap(x, y);
  IntVector shape(x);
  size_t shift = x.size() - y.size();
  for (size_t i = 0; i < y.size(); ++i) {
    int64_t &size = shape[shift + i];
    if (size == 1)
      size = y[i];
    else if (y[i] != 1 && y[i] != size)
      return std::nullopt;
  }
  return shape;
}

IntVector range(int64_t count) {
  IntVector result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(i);
  return result;
}

//===----------------------------------------------------------------------===//
// Making ops
//===----------------------------------------------------------------------===//

Value Emitter::error(const Twine &message) {
  mlir::emitError(location) << message;
  return {};
}

/// Whether the front ends accept a tensor of this type, else an error.
static LogicalResult checkSize(Location location, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError(location) << "has a result of type " << type;
  if (tensor.getRank() > kMaxRank)
    return emitError(location) << "makes a tensor of rank " << tensor.getRank()
                               << "; the highest is " << kMaxRank;
  auto elements = checkedNumElements(
      Shape(tensor.getShape().begin(), tensor.getShape().end()));
  if (elements && *elements <= kMaxElements)
    return success();
  return emitError(location)
         << "makes a tensor of shape [" << tensor.getShape()
         << "]; sizes must not be negative and tensors hold "
            "at most 2^40 elements";
}

/// Infers the result types of `state` from its operands and attributes.
static LogicalResult inferTypes(OperationState &state, MLIRContext *context) {
  auto info = state.name.getRegisteredInfo();
  auto *infer = info ? info->getInterface<InferTypeOpInterface>() : nullptr;
  assert(infer && "give the result type of an op that cannot infer it");
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  if (!info->getOpPropertyByteSize())
    return infer->inferReturnTypes(context, state.location, state.operands,
                                   attributes, nullptr, state.regions,
                                   state.types);
  std::unique_ptr<char[]> storage(new char[info->getOpPropertyByteSize()]);
  OpaqueProperties properties(storage.get());
  info->initOpProperties(properties, OpaqueProperties(nullptr));
  auto report = [&] { return emitError(state.location); };
  LogicalResult result = failure();
  if (succeeded(info->setOpPropertiesFromAttribute(state.name, properties,
                                                   attributes, report)))
    result = infer->inferReturnTypes(context, state.location, state.operands,
                                     attributes, properties, state.regions,
                                     state.types);
  info->destroyOpProperties(properties);
  return result;
}

/// Whether it certainly does, so that the result would mean nothing.
static bool dividesByZero(StringRef name, ValueRange operands) {
  if (name != DivOp::getOperationName() && name != RemOp::getOperationName())
    return false;
  auto divisor = constantInts(operands[1]);
  return divisor && llvm::is_contained(*divisor, 0);
}

Operation *Emitter::createOp(StringRef name, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes, Type type) {
  OperationState state(location, name, operands, TypeRange(), attributes);
  if (type)
    state.addTypes(type);
  else if (failed(inferTypes(state, builder.getContext())))
    return nullptr;
  for (Type result : state.types)
    if (failed(checkSize(location, result)))
      return nullptr;
  if (++opCount > kMaxOps) {
    error("needs more than " + Twine(kMaxOps) + " ops");
    return nullptr;
  }
  if (placement)
    state.addAttribute(kPlacementAttr, placement);
  if (dividesByZero(name, operands)) {
    error("divides integers by a constant that is 0");
    return nullptr;
  }
  Operation *op = builder.create(state);
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false)))
    return op;
  op->erase();
  return nullptr;
}

void Emitter::makeMany(StringRef name, ValueRange operands,
                       ArrayRef<NamedAttribute> attributes, Type type,
                       SmallVectorImpl<Value> &results) {
  if (llvm::any_of(operands, [](Value operand) { return !operand; }))
    return;
  Operation *op = createOp(name, operands, attributes, type);
  if (!op)
    return;
  if (folds && tryFold(op, results))
    op->erase();
  else
    results.append(op->result_begin(), op->result_end());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Emitter::splat(Type type, double value) {
  if (!type)
    return {};
  if (failed(checkSize(location, type)))
    return {};
  return smp::ir::splat(builder, location, type, value);
}

Value Emitter::scalar(Type element, double value) {
  return element ? splat(RankedTensorType::get({}, element), value) : Value();
}

Value Emitter::ints(Ints values) {
  return ints(values, {int64_t(values.size())});
}

Value Emitter::ints(Ints values, Ints shape) {
  auto type = RankedTensorType::get(shape, builder.getI64Type());
  return smp::ir::constantOf(builder, location, type, values);
}

Value Emitter::numbers(Type element, ArrayRef<double> values, Ints shape) {
  return smp::ir::constantOf(builder, location,
                             RankedTensorType::get(shape, element), values);
}

Value Emitter::constant(DenseElementsAttr value) {
  return ConstantOp::create(builder, location, value.getType(), value);
}

Value Emitter::iota(Type element, Ints shape, int64_t dim) {
  return make<IotaOp>({}, {attr("dimension", dim)},
                      RankedTensorType::get(shape, element));
}

} // namespace smp::frontend
