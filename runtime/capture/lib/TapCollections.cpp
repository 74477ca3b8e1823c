// SPDX-License-Identifier: Apache-2.0
#include "TapCollections.h"
#include "BuiltInCollections.h"
#include "smp/capture/CaptureChoice.h"

namespace smp {

static StatusOr<bool> isBias(std::string_view parameter) {
  SMP_ASSIGN_OR_RETURN(const Regex regex,
                       Regex::compile(findBuiltInCollection("biases")->regex));
  return regex.isIn(parameter);
}

StatusOr<std::string_view> collectionOf(std::string_view name, TapRole role) {
  switch (role) {
  case TapRole::Input:
    return std::string_view("inputs");
  case TapRole::Gradient:
    return std::string_view("gradients");
  case TapRole::Slot:
    return std::string_view("optimizer_variables");
  case TapRole::Value:
    return std::string_view("layers");
  case TapRole::OutputGradient:
    return std::string_view();
  case TapRole::Parameter:
    break;
  }
  SMP_ASSIGN_OR_RETURN(const bool isIn, isBias(name));
  return std::string_view(isIn ? "biases" : "weights");
}

Status addTap(Collections &collections, std::string_view name, TapRole role) {
  SMP_ASSIGN_OR_RETURN(const std::string_view collection,
                       collectionOf(name, role));
  if (!collection.empty())
    collections.add(name, collection);
  return Status();
}

} // namespace smp
