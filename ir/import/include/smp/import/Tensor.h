// SPDX-License-Identifier: Apache-2.0
// What a GraphBuilder's calls take and give: tensors, variables, first values.

#ifndef SMP_IMPORT_TENSOR_H
#define SMP_IMPORT_TENSOR_H

#include "smp/model/Graph.h"
#include <memory>
#include <string>

namespace smp {

class GraphBuilder;
namespace frontend {
class BuilderState;
}

/// A value of a graph in the making. Copies mean the same value. After an error
/// calls give empty ones, which other calls accept in silence: the builder
/// keeps the first error, so that nothing has to be checked in between.
class Tensor {
public:
  Tensor() = default;

  explicit operator bool() const { return value != nullptr; }
  const TensorType &type() const { return tensorType; }
  DType dtype() const { return tensorType.dtype; }
  const Shape &shape() const { return tensorType.shape; }
  int64_t rank() const { return int64_t(tensorType.shape.size()); }
  /// The size of a dimension, counted from the end when negative; 1 when there
  /// is no such dimension.
  int64_t dim(int64_t axis) const;

private:
  friend class frontend::BuilderState;
  Tensor(GraphBuilder *builder, TensorType type, void *value)
      : builder(builder), tensorType(std::move(type)), value(value) {}
  friend GraphBuilder *builderOf(const Tensor &x, const Tensor &y);

  GraphBuilder *builder = nullptr; // Borrowed; outlives the tensor's use.
  TensorType tensorType;
  void *value = nullptr; // The IR's value; null after an error.
};

/// An operand of an elementwise call: a tensor, or a number that becomes a
/// tensor of the other operand's type.
class Operand {
public:
  Operand(Tensor tensor) : tensor(std::move(tensor)) {}
  Operand(double number) : number(number) {}

  Tensor tensor;
  std::optional<double> number;
};

/// Elementwise arithmetic, as GraphBuilder::add and so on. Of two operands one
/// is a tensor.
Tensor operator+(const Operand &x, const Operand &y);
Tensor operator-(const Operand &x, const Operand &y);
Tensor operator*(const Operand &x, const Operand &y);
Tensor operator/(const Operand &x, const Operand &y);

/// Named storage that outlives a step. Entries read it and assign it.
class VariableRef {
public:
  VariableRef() = default;

  explicit operator bool() const { return !fullName.empty(); }
  /// With the scopes that it was declared in: "encoder/0/query/weight".
  const std::string &name() const { return fullName; }
  const TensorType &type() const { return tensorType; }

private:
  friend class frontend::BuilderState;
  VariableRef(std::string name, TensorType type)
      : fullName(std::move(name)), tensorType(std::move(type)) {}

  std::string fullName;
  TensorType tensorType;
};

/// What a variable is for.
enum class VariableRole { Parameter, Optimizer, State, Random, Constant };

/// The first value of a variable. Random ones are drawn by Philox from a seed
/// that follows from the builder's and the variable's name alone: they are the
/// same whatever else a model holds, and on every device.
class InitialValue {
public:
  enum class Kind { Constant, Normal, Uniform, Kaiming, Xavier, Data };

  static InitialValue zeros() { return constant(0); }
  static InitialValue ones() { return constant(1); }
  static InitialValue constant(double value);
  static InitialValue normal(double mean, double deviation);
  /// In [low, high).
  static InitialValue uniform(double low, double high);
  /// Normal with deviation sqrt(2 / fan in), for layers before a relu. The
  /// variable is [out, in, window...].
  static InitialValue kaiming();
  /// Uniform within sqrt(6 / (fan in + fan out)). The variable is [out, in,
  /// window...].
  static InitialValue xavier();
  /// These elements, of the variable's type.
  static InitialValue data(HostTensor tensor);

  Kind kind() const { return valueKind; }
  double a() const { return first; }
  double b() const { return second; }
  /// Null unless the kind is Data.
  const HostTensor *tensor() const { return elements.get(); }

private:
  InitialValue(Kind kind, double first, double second)
      : valueKind(kind), first(first), second(second) {}

  Kind valueKind;
  double first, second;
  std::shared_ptr<const HostTensor>
      elements; // Shared by copies; never changed.
};

} // namespace smp

#endif // SMP_IMPORT_TENSOR_H
