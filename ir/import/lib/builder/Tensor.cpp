// SPDX-License-Identifier: Apache-2.0
#include "smp/import/Tensor.h"
#include "smp/import/GraphBuilder.h"
#include "smp/import/ModelParts.h"
#include "llvm/Support/raw_ostream.h"

namespace smp {

int64_t Tensor::dim(int64_t axis) const {
  int64_t index = axis < 0 ? axis + rank() : axis;
  return index >= 0 && index < rank() ? shape()[size_t(index)] : 1;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The builder of the operands that are tensors; null when none has one.
GraphBuilder *builderOf(const Tensor &x, const Tensor &y) {
  return x.builder ? x.builder : y.builder;
}

using BinaryCall = Tensor (GraphBuilder::*)(const Operand &, const Operand &);

static Tensor call(BinaryCall call, const Operand &x, const Operand &y) {
  GraphBuilder *builder = builderOf(x.tensor, y.tensor);
  return builder ? (builder->*call)(x, y) : Tensor();
}

Tensor operator+(const Operand &x, const Operand &y) {
  return call(&GraphBuilder::add, x, y);
}
Tensor operator-(const Operand &x, const Operand &y) {
  return call(&GraphBuilder::sub, x, y);
}
Tensor operator*(const Operand &x, const Operand &y) {
  return call(&GraphBuilder::mul, x, y);
}
Tensor operator/(const Operand &x, const Operand &y) {
  return call(&GraphBuilder::div, x, y);
}

//===----------------------------------------------------------------------===//
// First values
//===----------------------------------------------------------------------===//

InitialValue InitialValue::constant(double value) {
  return {Kind::Constant, value, 0};
}
InitialValue InitialValue::normal(double mean, double deviation) {
  return {Kind::Normal, mean, deviation};
}
InitialValue InitialValue::uniform(double low, double high) {
  return {Kind::Uniform, low, high};
}
InitialValue InitialValue::kaiming() { return {Kind::Kaiming, 0, 0}; }
InitialValue InitialValue::xavier() { return {Kind::Xavier, 0, 0}; }

InitialValue InitialValue::data(HostTensor tensor) {
  InitialValue value{Kind::Data, 0, 0};
  value.elements = std::make_shared<const HostTensor>(std::move(tensor));
  return value;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

Model::Model(std::unique_ptr<ModelParts> parts) : contents(std::move(parts)) {}
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;
Model::~Model() = default;

std::string Model::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  contents->module->getOperation()->print(stream, flags.enableDebugInfo());
  return text;
}

} // namespace smp
