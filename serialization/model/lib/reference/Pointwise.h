// SPDX-License-Identifier: Apache-2.0
// Ops that apply one function to every element of their operand.

#ifndef SMP_LIB_REFERENCE_POINTWISE_H
#define SMP_LIB_REFERENCE_POINTWISE_H

#include "Numbers.h"
#include "Table.h"

namespace smp::reference {

/// A function of floats, in double.
template <auto function>
void floatOp(Call &call) {
  call.require(isFloat(call.dtype(0)), "the operand must be a float");
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  std::vector<double> numbers = widenFloats(call.operand(0));
  for (double &x : numbers)
    x = function(x);
  narrow(numbers, *result);
}

/// A function of numbers of any type, in the widest of their kind.
template <auto function>
void numberOp(Call &call) {
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  Numbers numbers = widen(call.operand(0));
  std::visit(
      [&](auto &list) {
        for (auto &x : list)
          x = function(x);
        narrow(list, *result);
      },
      numbers);
}

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_POINTWISE_H
