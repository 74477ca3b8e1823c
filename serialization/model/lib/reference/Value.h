// SPDX-License-Identifier: Apache-2.0
// What ops give to each other.

#ifndef SMP_LIB_REFERENCE_VALUE_H
#define SMP_LIB_REFERENCE_VALUE_H

#include "smp/model/Graph.h"

namespace smp::reference {

/// All elements of a tensor, or one that is each of them.
using Value = std::variant<HostTensor, Splat>;

/// A value that is borrowed: one of the two is null.
struct Operand {
  const HostTensor *tensor = nullptr;
  const Splat *splat = nullptr;

  static Operand of(const Value &value) {
    return {std::get_if<HostTensor>(&value), std::get_if<Splat>(&value)};
  }
  const TensorType &type() const { return tensor ? tensor->type : splat->type; }
};

/// All elements of a splat.
HostTensor writeOut(const Splat &splat);

/// Results of one op, or why there are none.
struct Outcome {
  std::vector<Value> results;
  std::string error;
};

/// Evaluates one op as evaluateOp does. An op that only moves elements of a
/// splat, or is over splats element by element, gives a splat.
Outcome evaluateValues(const GraphOp &op, std::span<const Operand> operands,
                       std::span<const TensorType> resultTypes);

/// "op 'encoder/gather_3' (gather)".
std::string describe(const GraphOp &op);
/// What is wrong with a tensor as an operand; empty: nothing.
std::string checkTensor(const HostTensor &tensor);

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_VALUE_H
