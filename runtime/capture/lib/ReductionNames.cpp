// SPDX-License-Identifier: Apache-2.0
#include "ReductionNames.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"

namespace smp {
namespace {

struct Name {
  std::string_view configured, stored;
};

/// By the number of the kind.
constexpr Name kNames[] = {
    {"min", "min"},   {"max", "max"},           {"mean", "mean"},
    {"std", "std"},   {"variance", "variance"}, {"sum", "sum"},
    {"prod", "prod"}, {"l1_norm", "l1"},        {"l2_norm", "l2"},
};

constexpr std::string_view kAbsolute = "abs_";

} // namespace

StatusOr<TensorReduction> parseReduction(std::string_view name) {
  const bool ofAbsolute = name.starts_with(kAbsolute);
  const auto kind = ofAbsolute ? name.substr(kAbsolute.size()) : name;
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kind == kNames[i].configured)
      return TensorReduction{TensorReduction::Kind(i), ofAbsolute};
  return invalidArgument("reduction " + quote(name) + " is none of " +
                         listNames(kNames, &Name::configured) +
                         ", each also after 'abs_'");
}

std::string toString(const TensorReduction &reduction) {
  return std::string(reduction.ofAbsolute ? kAbsolute : "") +
         std::string(kNames[size_t(reduction.kind)].configured);
}

std::string storedName(const TensorReduction &reduction,
                       std::string_view tensor) {
  std::string name(kReductionPrefix);
  name += reduction.ofAbsolute ? kAbsolute : "";
  name += kNames[size_t(reduction.kind)].stored;
  name += '/';
  return name.append(tensor);
}

} // namespace smp
