// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/ir/Tensors.h"
#include <numeric>

using namespace mlir;

namespace smp::codegen {

using ir::tensorOf;

Type computeType(Type element) {
  if (isa<BFloat16Type, Float16Type>(element))
    return Float32Type::get(element.getContext());
  if (auto integer = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

Type storageType(Type element) {
  if (isa<BFloat16Type, Float16Type>(element))
    return IntegerType::get(element.getContext(), 16);
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return computeType(element);
}

ElementEmitter::ElementEmitter(OpBuilder &builder, Location location,
                               int64_t lanes)
    : builder(builder), location(location), space(lanes), lanes(lanes),
      active(lanes) {
  scopes.emplace_back();
}

bool ElementEmitter::Less::operator()(
    const std::pair<void *, Position> &a,
    const std::pair<void *, Position> &b) const {
  if (a.first != b.first)
    return a.first < b.first;
  return std::lexicographical_compare(a.second.begin(), a.second.end(),
                                      b.second.begin(), b.second.end());
}

void ElementEmitter::define(Value tensor, const Position &position,
                            Value value) {
  scopes.back()[{tensor.getAsOpaquePointer(), position}] = value;
}

Value ElementEmitter::element(Value tensor, const Position &position) {
  std::pair<void *, Position> key{tensor.getAsOpaquePointer(), position};
  for (auto &scope : llvm::reverse(scopes))
    if (auto found = scope.find(key); found != scope.end())
      return found->second;
  Value value = compute(tensor, position);
  scopes.back()[key] = value;
  return value;
}

Value ElementEmitter::vectorElement(Value tensor, const Position &position) {
  Value value = element(tensor, position);
  return isa<VectorType>(value.getType()) ? value : broadcast(value);
}

Value ElementEmitter::compute(Value tensor, const Position &position) {
  if (auto memory = memories.find(tensor); memory != memories.end())
    return load(memory->second, tensorOf(tensor).getElementType(),
                linearize(position, tensorOf(tensor).getShape()));
  if (auto rule = rules.find(tensor); rule != rules.end())
    return rule->second(position);
  Operation *op = tensor.getDefiningOp();
  assert(op && "a group's argument is not bound to memory");
  if (op->hasTrait<ir::trait::Elementwise>()) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(element(operand, position));
    unify(operands);
    return round(emitElementwise(*this, op, std::move(operands)),
                 tensorOf(tensor).getElementType());
  }
  if (Value value = emitShapeOp(*this, op, position))
    return value;
  if (Value value = emitIndexingOp(*this, op, position))
    return value;
  return round(emitReductionOp(*this, tensor, position),
               tensorOf(tensor).getElementType());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// From the stored form of an element to the form it is computed in.
static Value fromStorage(ElementEmitter &emitter, Value value, Type element) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  if (isa<BFloat16Type>(element))
    return emitBF16ToF32(b, loc, value);
  if (isa<Float16Type>(element))
    return emitF16ToF32(b, loc, value);
  if (!element.isInteger(1))
    return value;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

static Value toStorage(ElementEmitter &emitter, Value value, Type element) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  if (isa<BFloat16Type>(element))
    return emitF32ToBF16(b, loc, value);
  if (isa<Float16Type>(element))
    return emitF32ToF16(b, loc, value);
  if (!element.isInteger(1))
    return value;
  Type stored = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    stored = vector.clone(stored);
  return arith::ExtUIOp::create(b, loc, stored, value);
}

/// The mask of the lanes that exist.
static Value activeMask(ElementEmitter &emitter) {
  auto type = VectorType::get({emitter.lanes}, emitter.builder.getI1Type());
  return vector::ConstantMaskOp::create(emitter.builder, emitter.location, type,
                                        ArrayRef(emitter.activeLanes()));
}

llvm::MaybeAlign ElementEmitter::alignmentAt(const Index &offset,
                                             Type stored) const {
  if (memoryAlignment == 0)
    return {};
  int64_t elements = offset.constant;
  for (auto [id, factor] : offset.terms)
    elements = std::gcd(elements, factor);
  const int64_t bytes = elements * stored.getIntOrFloatBitWidth() / 8;
  return llvm::Align(uint64_t(std::gcd(bytes, memoryAlignment)));
}

Value ElementEmitter::emitLoads(Value memory, Type stored,
                                const Index &offset) {
  int64_t stride = offset.coefficient(IndexSpace::kLane);
  if (stride == 0) {
    Value at = space.emit(builder, location, offset);
    return memref::LoadOp::create(builder, location, memory, at);
  }
  auto type = VectorType::get({lanes}, stored);
  if (stride == -1 && active == lanes) {
    Value read = emitLoads(memory, stored,
                           offset.substitute(IndexSpace::kLane, lanes - 1) +
                               space.lane());
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, lanes)));
    return vector::ShuffleOp::create(builder, location, read, read, order);
  }
  if (stride != 1)
    return perLane(stored, [&](int64_t lane) {
      return emitLoads(memory, stored,
                       offset.substitute(IndexSpace::kLane, lane));
    });
  const Index first = offset.substitute(IndexSpace::kLane, 0);
  Value at = space.emit(builder, location, first);
  if (active == lanes)
    return vector::LoadOp::create(builder, location, type, memory, at,
                                  /*nontemporal=*/false,
                                  alignmentAt(first, stored));
  Value pass =
      arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, location, type, memory, at,
                                      activeMask(*this), pass);
}

Value ElementEmitter::load(Value memory, Type element, const Index &offset) {
  return fromStorage(*this, emitLoads(memory, storageType(element), offset),
                     element);
}

void ElementEmitter::store(Value value, Value memory, Type element,
                           const Index &offset) {
  Value stored = toStorage(*this, value, element);
  int64_t stride = offset.coefficient(IndexSpace::kLane);
  if (stride == 0) {
    assert(!isa<VectorType>(stored.getType()) &&
           "a vector stored to one place");
    Value at = space.emit(builder, location, offset);
    memref::StoreOp::create(builder, location, stored, memory, at);
    return;
  }
  if (!isa<VectorType>(stored.getType()))
    stored = broadcast(stored);
  // A single lane is stored as a scalar: LLVM 22 makes a masked store of one
  // truncated lane a store of the wide element (x86, AVX-512BW).
  if (stride != 1 || active == 1) {
    for (int64_t lane = 0; lane < active; ++lane) {
      Value one = vector::ExtractOp::create(builder, location, stored, lane);
      Value at = space.emit(builder, location,
                            offset.substitute(IndexSpace::kLane, lane));
      memref::StoreOp::create(builder, location, one, memory, at);
    }
    return;
  }
  const Index first = offset.substitute(IndexSpace::kLane, 0);
  Value at = space.emit(builder, location, first);
  if (active == lanes)
    vector::StoreOp::create(
        builder, location, stored, memory, at, /*nontemporal=*/false,
        alignmentAt(first, getElementTypeOrSelf(stored.getType())));
  else
    vector::MaskedStoreOp::create(builder, location, memory, at,
                                  activeMask(*this), stored);
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value ElementEmitter::indexConstant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, location, value);
}

Value ElementEmitter::constant(Type element, double value) {
  Type type = computeType(element);
  TypedAttr attribute =
      isa<FloatType>(type)
          ? TypedAttr(builder.getFloatAttr(type, value))
          : TypedAttr(IntegerAttr::get(
                type, APInt(64, uint64_t(int64_t(value)))
                          .trunc(type.getIntOrFloatBitWidth())));
  return arith::ConstantOp::create(builder, location, attribute);
}

Value ElementEmitter::broadcast(Value scalar) {
  auto type = VectorType::get({lanes}, scalar.getType());
  return vector::BroadcastOp::create(builder, location, type, scalar);
}

void ElementEmitter::unify(MutableArrayRef<Value> values) {
  if (llvm::none_of(values,
                    [](Value v) { return isa<VectorType>(v.getType()); }))
    return;
  for (Value &value : values)
    if (!isa<VectorType>(value.getType()))
      value = broadcast(value);
}

Value ElementEmitter::round(Value value, Type element) {
  if (isa<BFloat16Type>(element))
    return emitBF16ToF32(builder, location,
                         emitF32ToBF16(builder, location, value));
  if (isa<Float16Type>(element))
    return emitF16ToF32(builder, location,
                        emitF32ToF16(builder, location, value));
  return value;
}

SmallVector<Value> ElementEmitter::loop(int64_t low, int64_t high, int64_t step,
                                        ValueRange carried, LoopBody body) {
  if (high <= low)
    return llvm::to_vector(carried);
  if (high - low <= step)
    return body(Index(low), carried);
  // The loop counts steps from 0, so that divisibility stays visible.
  int64_t trips = (high - low + step - 1) / step;
  return loop(indexConstant(0), indexConstant(trips), 0, trips, carried,
              [&](Index trip, ValueRange values) {
                return body(trip * step + Index(low), values);
              });
}

SmallVector<Value> ElementEmitter::loop(Value low, Value high, int64_t min,
                                        int64_t max, ValueRange carried,
                                        LoopBody body) {
  auto loop = scf::ForOp::create(builder, location, low, high, indexConstant(1),
                                 carried);
  OpBuilder::InsertionGuard guard(builder);
  if (carried.empty())
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(loop.getBody());
  Scope scope(*this);
  Index index = space.add(loop.getInductionVar(), min, max - 1);
  SmallVector<Value> next = body(index, loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(builder, location, next);
  return llvm::to_vector(ValueRange(loop.getResults()));
}

void ElementEmitter::keepLoop(ValueRange results) {
  // One that is known to run once is none.
  if (auto loop = results.front().getDefiningOp<scf::ForOp>())
    loop->setDiscardableAttr(kKeptLoopAttr, UnitAttr::get(loop.getContext()));
}

void ElementEmitter::loop(int64_t low, int64_t high, int64_t step,
                          function_ref<void(Index)> body) {
  loop(low, high, step, ValueRange(), [&](Index index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

void ElementEmitter::sweep(int64_t length, function_ref<void(Index)> body) {
  int64_t vectors = length / lanes;
  loop(0, vectors, 1, [&](Index v) {
    Scope scope(*this);
    body(v * lanes + space.lane());
  });
  loop(vectors * lanes, length, 1, [&](Index i) {
    Scope scope(*this);
    body(i);
  });
}

SmallVector<Value>
ElementEmitter::branch(Value condition, TypeRange types,
                       function_ref<SmallVector<Value>()> then,
                       function_ref<SmallVector<Value>()> otherwise) {
  auto op = scf::IfOp::create(builder, location, types, condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto fill = [&](Block *block, function_ref<SmallVector<Value>()> with) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    Scope scope(*this);
    scf::YieldOp::create(builder, location, with());
  };
  fill(op.thenBlock(), then);
  fill(op.elseBlock(), otherwise);
  return llvm::to_vector(ValueRange(op.getResults()));
}

void ElementEmitter::branch(Value condition, function_ref<void()> then,
                            function_ref<void()> otherwise) {
  if (!condition)
    return then();
  auto filled = [](function_ref<void()> fill) {
    return [fill] {
      fill();
      return SmallVector<Value>();
    };
  };
  branch(condition, TypeRange(), filled(then), filled(otherwise));
}

Value ElementEmitter::perLane(Type type, function_ref<Value(int64_t)> scalar) {
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < active; ++lane)
    elements.push_back(scalar(lane));
  elements.resize(lanes, elements.front());
  return vector::FromElementsOp::create(
      builder, location, VectorType::get({lanes}, type), elements);
}

/// The same index, what it has beside the lane being a multiple of one
/// variable, so that division sees that the lane does not pass one.
static Index besideLane(ElementEmitter &emitter, const Index &index) {
  Index others = index.substitute(IndexSpace::kLane, 0);
  int64_t unit = others.constant;
  for (auto [id, factor] : others.terms)
    unit = std::gcd(unit, factor);
  if (unit == 0)
    return index;
  others.constant /= unit;
  for (auto &term : others.terms)
    term.second /= unit;
  auto [least, greatest] = emitter.space.range(others);
  Value value = emitter.space.emit(emitter.builder, emitter.location, others);
  return emitter.space.add(value, least, greatest) * unit +
         emitter.space.lane() * index.coefficient(IndexSpace::kLane);
}

Position ElementEmitter::split(Index number, ArrayRef<int64_t> sizes) {
  Position position(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    Index quotient;
    if (dim == 0) {
      position[0] = number;
      break;
    }
    auto divide = [&](const Index &index) {
      return space.divide(builder, location, index, sizes[dim], quotient,
                          position[dim]);
    };
    [[maybe_unused]] const bool isDivided =
        divide(number) || divide(besideLane(*this, number));
    assert(isDivided && "the lane passes a multiple of the size");
    number = quotient;
  }
  return position;
}

Position ElementEmitter::atLane(const Position &position, int64_t lane) {
  Position result;
  for (const Index &index : position)
    result.push_back(index.substitute(IndexSpace::kLane, lane));
  return result;
}

bool ElementEmitter::hasLane(const Position &position) {
  return llvm::any_of(position, [](const Index &index) {
    return index.coefficient(IndexSpace::kLane) != 0;
  });
}

//===----------------------------------------------------------------------===//
// Indices from data
//===----------------------------------------------------------------------===//

void ElementEmitter::setOpNumbers(ArrayRef<Operation *> ops) {
  for (auto [number, op] : llvm::enumerate(ops))
    opNumbers[op] = int64_t(number);
}

Value ElementEmitter::checkIndex(Value &value, int64_t bound, Operation *op) {
  Type i64 = builder.getI64Type();
  if (value.getType() != i64)
    value = arith::ExtSIOp::create(builder, location, i64, value);
  Value limit = arith::ConstantIntOp::create(builder, location, i64, bound);
  Value inside = arith::CmpIOp::create(builder, location,
                                       arith::CmpIPredicate::ult, value, limit);
  Value yes =
      arith::ConstantIntOp::create(builder, location, builder.getI1Type(), 1);
  auto report = scf::IfOp::create(
      builder, location, arith::XOrIOp::create(builder, location, inside, yes),
      /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(report.thenBlock()->getTerminator());
  fault(value, limit, opNumbers.lookup(op));
  return inside;
}

Index ElementEmitter::checkedIndex(Value value, int64_t bound, Operation *op) {
  Value inside = checkIndex(value, bound, op);
  Value zero =
      arith::ConstantIntOp::create(builder, location, builder.getI64Type(), 0);
  Value safe = arith::SelectOp::create(builder, location, inside, value, zero);
  Value index = arith::IndexCastOp::create(builder, location,
                                           builder.getIndexType(), safe);
  return space.add(index, 0, std::max<int64_t>(bound - 1, 0));
}

} // namespace smp::codegen
