// SPDX-License-Identifier: Apache-2.0
// Variables, their first values, and constants.

#include "BuilderState.h"
#include "smp/ir/ModelTypes.h"
#include <cmath>

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// Constants up to this size are part of the graph, larger ones variables,
/// unless one element says it all.
static constexpr size_t kMaxConstantBytes = 1024;
/// What `#smp.stored` attributes call the file of weights.
static constexpr char kWeightsFile[] = "model.safetensors";

//===----------------------------------------------------------------------===//
// First values
//===----------------------------------------------------------------------===//

/// FNV-1a of the name, mixed.
uint64_t seedOf(uint64_t seed, StringRef name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char byte : name)
    hash = (hash ^ uint8_t(byte)) * 0x100000001b3;
  hash += (seed + 1) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

namespace {
/// How many elements go into one of the layer's results, and come out of one of
/// its operands.
struct Fans {
  double in = 1, out = 1;
};
} // namespace

/// Of a variable [out, in, window...].
static Fans fansOf(const Shape &shape) {
  Fans fans{double(shape[1]), double(shape[0])};
  for (size_t i = 2; i < shape.size(); ++i) {
    fans.in *= double(shape[i]);
    fans.out *= double(shape[i]);
  }
  return fans;
}

Attribute BuilderState::initializer(StringRef name, const TensorType &type,
                                    const InitialValue &value) {
  using Kind = InitialValue::Kind;
  auto number = [](double number) { return APFloat(number); };
  bool needsFans =
      value.kind() == Kind::Kaiming || value.kind() == Kind::Xavier;
  if (value.kind() != Kind::Constant && value.kind() != Kind::Data &&
      !smp::isFloat(type.dtype))
    return fail("has random first values, which need a float type, and is a " +
                toString(type)),
           Attribute();
  if (needsFans && type.shape.size() < 2)
    return fail("is a " + toString(type) +
                "; such first values need [out, in, ...]"),
           Attribute();
  Fans fans = needsFans ? fansOf(type.shape) : Fans();
  uint64_t drawn = seedOf(seed, name);
  switch (value.kind()) {
  case Kind::Constant:
    return SplatAttr::get(context, number(value.a()));
  case Kind::Normal:
    return NormalAttr::get(context, number(value.a()), number(value.b()),
                           drawn);
  case Kind::Uniform:
    return UniformAttr::get(context, number(value.a()), number(value.b()),
                            drawn);
  case Kind::Kaiming:
    return NormalAttr::get(context, number(0), number(std::sqrt(2 / fans.in)),
                           drawn);
  case Kind::Xavier: {
    double bound = std::sqrt(6 / (fans.in + fans.out));
    return UniformAttr::get(context, number(-bound), number(bound), drawn);
  }
  case Kind::Data:
    break;
  }
  const HostTensor &data = *value.tensor();
  if (data.type == type &&
      parts->weights.add(name.str(), makeOwnedWeight(type, data.bytes)))
    return StoredAttr::get(context, kWeightsFile);
  fail("is a " + toString(type) + "; its first value is a " +
       toString(data.type) + " of " + Twine(data.bytes.size()) + " bytes");
  return {};
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

VariableRef BuilderState::addVariable(StringRef name, const TensorType &type,
                                      Attribute initializer,
                                      VariableRole role) {
  OpBuilder atModule(context);
  auto entries = parts->module->getOps<EntryOp>();
  if (entries.empty())
    atModule.setInsertionPointToEnd(parts->module->getBody());
  else
    atModule.setInsertionPoint(*entries.begin());
  VariableOp::create(atModule, nameLoc(name), name, VariableKind(int(role)),
                     initializer, toMlir(context, type));
  return VariableRef(name.str(), type);
}

VariableRef BuilderState::declare(StringRef name, TensorType type,
                                  const InitialValue &value,
                                  VariableRole role) {
  if (!isUsable())
    return {};
  std::string full = scoped(name);
  current = "variable '" + full + "'";
  auto bytes = checkedBytes(type);
  if (name.empty() || !declared.insert(full).second)
    fail(name.empty() ? "needs a name"
                      : "is declared twice; open another scope of names, or "
                        "keep what the first declaration gave");
  else if (!bytes || *bytes > kMaxElements)
    fail("cannot be a " + toString(type));
  if (!status.ok())
    return {};
  if (Operation *other = parts->module->lookupSymbol(full)) {
    auto variable = dyn_cast<VariableOp>(other);
    TensorType before =
        variable ? toModel(variable.getTensorType()) : TensorType();
    if (variable && before == type)
      return VariableRef(full, type);
    fail(variable ? "is a " + toString(type) + " here and a " +
                        toString(before) + " in another entry"
                  : "has the name of an entry");
    return {};
  }
  Attribute first = initializer(full, type, value);
  return first ? addVariable(full, type, first, role) : VariableRef();
}

Tensor BuilderState::read(const VariableRef &variable) {
  if (!isUsable() || !begin("read"))
    return {};
  if (!variable || !parts->module->lookupSymbol<VariableOp>(variable.name())) {
    fail("reads a variable that this builder did not declare");
    return {};
  }
  return wrap(ReadOp::create(builder, nameLoc(variable.name()),
                             toMlir(context, variable.type()),
                             variable.name()));
}

void BuilderState::assign(const VariableRef &variable, const Tensor &value) {
  if (!isUsable() || !begin("assign"))
    return;
  SmallVector<Value> values;
  if (!variable || !parts->module->lookupSymbol<VariableOp>(variable.name()))
    return fail("assigns a variable that this builder did not declare");
  if (!resolve(value, values))
    return;
  if (value.type() != variable.type())
    return fail("assigns a " + toString(value.type()) + " to variable '" +
                variable.name() + "', a " + toString(variable.type()));
  AssignOp::create(builder, nameLoc(uniqueName("assign")), variable.name(),
                   values.front());
  opNames.insert(uniqueName("assign"));
}

Tensor BuilderState::constant(const TensorType &type,
                              std::span<const std::byte> bytes) {
  if (!begin("constant"))
    return {};
  auto expected = checkedBytes(type);
  if (!expected || *expected != int64_t(bytes.size())) {
    fail("is a " + toString(type) + " of " + Twine(bytes.size()) + " bytes");
    return {};
  }
  if (bytes.size() <= kMaxConstantBytes || isSplat(type.dtype, bytes))
    return op("constant", {}, [&](Emitter &e, Values) {
      return e.constant(toAttr(context, type, bytes));
    });
  std::string name = uniqueName("constant");
  opNames.insert(name);
  for (int i = 1; parts->module->lookupSymbol(name); ++i)
    name = uniqueName("constant") + "." + std::to_string(i);
  if (!parts->weights.add(name, makeOwnedWeight(type, bytes))) {
    fail("is a weight of that name already");
    return {};
  }
  return read(addVariable(name, type, StoredAttr::get(context, kWeightsFile),
                          VariableRole::Constant));
}

} // namespace smp::frontend
