// SPDX-License-Identifier: Apache-2.0
// Inputs whose value is known while compiling.

#include "Importer.h"
#include "smp/ir/ModelTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// Every binding must be of something that the model has.
LogicalResult Importer::checkBindings(const onnx::GraphProto &graph) {
  std::vector<std::string> inputs;
  for (const onnx::ValueInfoProto &info : graph.input())
    inputs.push_back(info.name());
  llvm::sort(inputs);
  std::vector<std::string> bound;
  for (const auto &[name, tensor] : options.constants)
    bound.push_back(name);
  for (const auto &[name, number] : options.numbers)
    bound.push_back(name);
  for (const std::string &name : bound)
    if (!llvm::binary_search(inputs, name))
      return error("has no input '" + Twine(name) + "' to bind; it has: " +
                   (inputs.empty() ? "none" : llvm::join(inputs, ", ")));
  for (const std::string &pattern : options.trainable) {
    auto glob = llvm::GlobPattern::create(pattern, 1024);
    if (!glob)
      return error("trainable pattern '" + Twine(pattern) +
                   "' is no glob: " + llvm::toString(glob.takeError()));
    trainables.push_back({std::move(*glob)});
  }
  return success();
}

/// The text as a float; nothing when it is none or beyond the type's range.
static std::optional<APFloat> parseFloat(StringRef text,
                                         const llvm::fltSemantics &type) {
  APFloat value(type);
  auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
  if (llvm::errorToBool(status.takeError()) || *status & APFloat::opOverflow)
    return std::nullopt;
  return value;
}

/// The text as an integer, as "7", "1e3" or "7.0"; nothing when it is none or
/// beyond the type's range.
static std::optional<APSInt> parseInteger(StringRef text, unsigned width,
                                          bool isUnsigned) {
  auto number = parseFloat(text, APFloat::IEEEquad()); // Holds 64 bits.
  if (!number)
    return std::nullopt;
  if (number->isZero())
    number->clearSign();
  APSInt whole(width, isUnsigned);
  bool isExact;
  auto status =
      number->convertToInteger(whole, APFloat::rmTowardZero, &isExact);
  return status == APFloat::opOK && isExact ? std::optional(whole)
                                            : std::nullopt;
}

/// The text as an element of the type; nothing when it is none.
static mlir::Attribute parseElement(StringRef text, Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    auto value = parseFloat(text, floats.getFloatSemantics());
    return value ? FloatAttr::get(floats, *value) : mlir::Attribute();
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1 &&
      (text.equals_insensitive("true") || text.equals_insensitive("false")))
    return IntegerAttr::get(type, text.equals_insensitive("true"));
  auto whole =
      parseInteger(text, width, type.isUnsignedInteger() || width == 1);
  return whole ? IntegerAttr::get(type, *whole) : mlir::Attribute();
}

Value Importer::bindNumber(const onnx::ValueInfoProto &info,
                           RankedTensorType type, StringRef text) {
  auto refuse = [&](const Twine &why) {
    (void)error("input '" + Twine(info.name()) + "' is " +
                toString(toModel(type)) + "; " + why);
    return Value();
  };
  if (type.getNumElements() != 1)
    return refuse("--constant " + info.name() + "=" + text +
                  " is for an input of one element: give a .npy file");
  mlir::Attribute element = parseElement(text, type.getElementType());
  if (!element)
    return refuse("'" + text + "' is no value of that type");
  return emit.constant(DenseElementsAttr::get(type, element));
}

LogicalResult Importer::bindConstant(const onnx::ValueInfoProto &info,
                                     Scope &scope) {
  auto type = typeOfInput(info);
  if (!type)
    return failure();
  if (auto number = options.numbers.find(info.name());
      number != options.numbers.end()) {
    Value value = bindNumber(info, *type, number->second);
    scope.values[info.name()] = value;
    return success(value);
  }
  const HostTensor &tensor = options.constants.find(info.name())->second;
  TensorType expected = toModel(*type);
  bool fits = expected.dtype == tensor.type.dtype &&
              expected.shape.size() == tensor.type.shape.size();
  for (size_t i = 0; fits && i < expected.shape.size(); ++i)
    fits = expected.shape[i] == tensor.type.shape[i] ||
           !dims.of(info.name())[i].isFixed;
  if (!fits)
    return error("input '" + Twine(info.name()) + "' is " + toString(expected) +
                 "; the constant for it is " + toString(tensor.type));
  Weight weight = makeOwnedWeight(tensor.type, tensor.bytes);
  Value value = literal(weight, info.name(), Role::None);
  scope.values[info.name()] = value;
  return success(value);
}

} // namespace smp::frontend
