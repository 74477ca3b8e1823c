// SPDX-License-Identifier: Apache-2.0
#include "ReductionNames.h"
#include "smp/base/Quote.h"

namespace smp {

StatusOr<TensorReduction> parseReduction(std::string_view name) {
  if (const auto reduction = parseReduction(name, ReductionWords::Configured))
    return *reduction;
  return invalidArgument("reduction " + quote(name) + " is none of " +
                         listReductions(ReductionWords::Configured));
}

std::string toString(const TensorReduction &reduction) {
  return toString(reduction, ReductionWords::Configured);
}

std::string storedName(const TensorReduction &reduction,
                       std::string_view tensor) {
  return std::string(kReductionPrefix)
      .append(toString(reduction, ReductionWords::Stored))
      .append("/")
      .append(tensor);
}

} // namespace smp
