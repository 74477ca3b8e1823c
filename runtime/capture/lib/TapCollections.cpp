// SPDX-License-Identifier: Apache-2.0
#include "TapCollections.h"
#include "BuiltInCollections.h"

namespace smp {

static StatusOr<bool> isBias(std::string_view parameter) {
  SMP_ASSIGN_OR_RETURN(const Regex regex,
                       Regex::compile(findBuiltInCollection("biases")->regex));
  return regex.isIn(parameter);
}

Status addTap(Collections &collections, std::string_view name, TapRole role) {
  const auto add = [&](std::string_view collection) {
    collections.add(name, collection);
    return Status();
  };
  switch (role) {
  case TapRole::Input:
    return add("inputs");
  case TapRole::Gradient:
    return add("gradients");
  case TapRole::Slot:
    return add("optimizer_variables");
  case TapRole::Value:
    return add("layers");
  case TapRole::Parameter:
    break;
  }
  SMP_ASSIGN_OR_RETURN(const bool isIn, isBias(name));
  return add(isIn ? "biases" : "weights");
}

} // namespace smp
