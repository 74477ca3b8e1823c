// SPDX-License-Identifier: Apache-2.0
// Structure, constants and elementwise ops of the builder.

#include "smp/import/GraphBuilder.h"
#include "BuilderState.h"
#include "smp/ir/Constants.h"
#include "smp/ir/ModelTypes.h"

using namespace smp::ir;

namespace smp {

using frontend::Emitter;
using frontend::Value;
using frontend::Values;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

GraphBuilder::GraphBuilder(std::string name, uint64_t seed)
    : state(std::make_unique<frontend::BuilderState>(*this, std::move(name),
                                                     seed)) {}
GraphBuilder::~GraphBuilder() = default;

void GraphBuilder::beginEntry(std::string_view name, EntryMode mode) {
  state->beginEntry(name, mode);
}
Tensor GraphBuilder::input(std::string_view name, TensorType type,
                           int64_t batchAxis) {
  return state->addInput(name, type, batchAxis);
}
void GraphBuilder::output(std::string_view name, const Tensor &x,
                          int64_t batchAxis) {
  state->addOutput(name, x, batchAxis);
}
void GraphBuilder::output(std::string_view name, const Tensor &x, JoinBy join) {
  state->addOutput(name, x, kNoBatchAxis, join);
}

NameScope GraphBuilder::scope(std::string_view name) {
  state->pushScope(name);
  return NameScope(*this);
}
NameScope::~NameScope() { builder.state->popScope(); }

Tensor GraphBuilder::named(const Tensor &x, std::string_view name) {
  state->rename(x, name);
  return x;
}

VariableRef GraphBuilder::variable(std::string_view name, TensorType type,
                                   const InitialValue &value,
                                   VariableRole role) {
  return state->declare(name, std::move(type), value, role);
}
Tensor GraphBuilder::read(const VariableRef &variable) {
  return state->read(variable);
}
Tensor GraphBuilder::parameter(std::string_view name, TensorType type,
                               const InitialValue &value) {
  return read(variable(name, std::move(type), value));
}
void GraphBuilder::assign(const VariableRef &variable, const Tensor &value) {
  state->assign(variable, value);
}

StatusOr<Model> GraphBuilder::finish() && { return state->finish(); }
const Status &GraphBuilder::status() const { return state->status; }
void GraphBuilder::fail(std::string message) {
  if (state->status.ok())
    state->status = invalidArgument(std::move(message));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::constant(double value, DType dtype) {
  return splat({dtype, {}}, value);
}

Tensor GraphBuilder::constant(const HostTensor &elements) {
  return state->constant(elements.type, elements.bytes);
}

Tensor GraphBuilder::constant(TensorType type,
                              const std::vector<double> &elements) {
  return state->op("constant", {}, [&](Emitter &e, Values) {
    auto count = checkedNumElements(type.shape);
    if (!count || *count != int64_t(elements.size()))
      return e.error("is a " + toString(type) + "; there are " +
                     llvm::Twine(elements.size()) + " elements for it");
    return constantOf(e.builder, e.location,
                      toMlir(e.builder.getContext(), type), elements);
  });
}

Tensor GraphBuilder::splat(TensorType type, double value) {
  return state->op("constant", {}, [&](Emitter &e, Values) {
    return e.splat(toMlir(e.builder.getContext(), type), value);
  });
}

Tensor GraphBuilder::iota(TensorType type, int64_t dimension) {
  return state->op("iota", {}, [&](Emitter &e, Values) {
    auto axis = state->axisOf(dimension, int64_t(type.shape.size()));
    auto tensor = toMlir(e.builder.getContext(), type);
    return axis ? e.iota(tensor.getElementType(), type.shape, *axis) : Value();
  });
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

#define SMP_UNARY(method, mnemonic, Op)                                        \
  Tensor GraphBuilder::method(const Tensor &x) {                               \
    return state->op(mnemonic, x,                                              \
                     [](Emitter &e, Values v) { return e.unary<Op>(v[0]); });  \
  }
SMP_UNARY(abs, "abs", AbsOp)
SMP_UNARY(neg, "neg", NegOp)
SMP_UNARY(sign, "sign", SignOp)
SMP_UNARY(bitNot, "not", NotOp)
SMP_UNARY(exp, "exp", ExpOp)
SMP_UNARY(log, "log", LogOp)
SMP_UNARY(log1p, "log1p", Log1pOp)
SMP_UNARY(expm1, "expm1", Expm1Op)
SMP_UNARY(sqrt, "sqrt", SqrtOp)
SMP_UNARY(rsqrt, "rsqrt", RsqrtOp)
SMP_UNARY(tanh, "tanh", TanhOp)
SMP_UNARY(erf, "erf", ErfOp)
SMP_UNARY(sin, "sin", SinOp)
SMP_UNARY(cos, "cos", CosOp)
SMP_UNARY(tan, "tan", TanOp)
SMP_UNARY(asin, "asin", AsinOp)
SMP_UNARY(acos, "acos", AcosOp)
SMP_UNARY(atan, "atan", AtanOp)
SMP_UNARY(sinh, "sinh", SinhOp)
SMP_UNARY(cosh, "cosh", CoshOp)
SMP_UNARY(asinh, "asinh", AsinhOp)
SMP_UNARY(acosh, "acosh", AcoshOp)
SMP_UNARY(atanh, "atanh", AtanhOp)
SMP_UNARY(floor, "floor", FloorOp)
SMP_UNARY(ceil, "ceil", CeilOp)
SMP_UNARY(round, "round", RoundOp)
SMP_UNARY(isNan, "is_nan", IsNanOp)
SMP_UNARY(isInf, "is_inf", IsInfOp)
SMP_UNARY(relu, "relu", ReluOp)
SMP_UNARY(sigmoid, "sigmoid", SigmoidOp)
SMP_UNARY(silu, "silu", SiluOp)
SMP_UNARY(softplus, "softplus", SoftplusOp)
SMP_UNARY(stopGradient, "stop_gradient", StopGradientOp)
#undef SMP_UNARY

#define SMP_BINARY(method, mnemonic, Op)                                       \
  Tensor GraphBuilder::method(const Operand &x, const Operand &y) {            \
    return state->elementwise(mnemonic, {x, y}, [](Emitter &e, Values v) {     \
      return e.binary<Op>(v[0], v[1]);                                         \
    });                                                                        \
  }
SMP_BINARY(add, "add", AddOp)
SMP_BINARY(sub, "sub", SubOp)
SMP_BINARY(mul, "mul", MulOp)
SMP_BINARY(div, "div", DivOp)
SMP_BINARY(rem, "rem", RemOp)
SMP_BINARY(pow, "pow", PowOp)
SMP_BINARY(max, "max", MaxOp)
SMP_BINARY(min, "min", MinOp)
SMP_BINARY(bitAnd, "and", AndOp)
SMP_BINARY(bitOr, "or", OrOp)
SMP_BINARY(bitXor, "xor", XorOp)
SMP_BINARY(shiftLeft, "shift_left", ShiftLeftOp)
SMP_BINARY(shiftRight, "shift_right", ShiftRightOp)
#undef SMP_BINARY

Tensor GraphBuilder::fma(const Operand &x, const Operand &y, const Operand &z) {
  return state->elementwise("fma", {x, y, z}, [](Emitter &e, Values v) {
    Value a = v[0], b = v[1], c = v[2];
    e.alignShapes(a, b);
    e.alignShapes(b, c);
    e.alignShapes(a, c);
    return e.make<FmaOp>({a, b, c});
  });
}

Tensor GraphBuilder::gelu(const Tensor &x, Gelu form) {
  return state->op("gelu", x, [&](Emitter &e, Values v) {
    llvm::SmallVector<mlir::NamedAttribute> attributes;
    if (form == Gelu::Tanh)
      attributes.push_back(e.attr("approximate", e.builder.getUnitAttr()));
    return e.make<GeluOp>(v[0], attributes, v[0].getType());
  });
}

Tensor GraphBuilder::convert(const Tensor &x, DType dtype) {
  return state->op("convert", x, [&](Emitter &e, Values v) {
    return e.convert(v[0], toMlir(e.builder.getContext(), dtype));
  });
}

Tensor GraphBuilder::bitCast(const Tensor &x, DType dtype) {
  return state->op("bit_cast", x, [&](Emitter &e, Values v) {
    return e.make<BitCastOp>(
        v[0], {},
        frontend::typeOf(v[0]).clone(toMlir(e.builder.getContext(), dtype)));
  });
}

Tensor GraphBuilder::compare(Comparison comparison, const Operand &x,
                             const Operand &y) {
  return state->elementwise("compare", {x, y}, [&](Emitter &e, Values v) {
    return e.compare(Direction(int(comparison)), v[0], v[1]);
  });
}

/// Numbers become tensors of the other value's type, a scalar of f32 where
/// there is none.
Tensor GraphBuilder::select(const Tensor &condition, const Operand &onTrue,
                            const Operand &onFalse) {
  auto tensorOf = [&](const Operand &operand, const Operand &other) {
    return operand.number
               ? constant(*operand.number,
                          other.number ? DType::F32 : other.tensor.dtype())
               : operand.tensor;
  };
  Tensor yes = tensorOf(onTrue, onFalse), no = tensorOf(onFalse, onTrue);
  return state->op("select", {condition, yes, no}, [](Emitter &e, Values v) {
    if (v[1].getType() != v[2].getType() &&
        frontend::elementOf(v[1]) != frontend::elementOf(v[2]))
      return e.error("chooses between tensors of different element types");
    return e.select(v[0], v[1], v[2]);
  });
}

} // namespace smp
