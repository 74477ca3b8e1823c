// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/ModelTypes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace smp::ir {

Type toMlir(MLIRContext *context, DType dtype) {
  Builder builder(context);
  unsigned bits = unsigned(sizeOf(dtype)) * 8;
  switch (dtype) {
  case DType::F64:
    return builder.getF64Type();
  case DType::F32:
    return builder.getF32Type();
  case DType::BF16:
    return builder.getBF16Type();
  case DType::F16:
    return builder.getF16Type();
  case DType::Bool:
    return builder.getI1Type();
  default:
    return isUnsigned(dtype) ? builder.getIntegerType(bits, /*isSigned=*/false)
                             : builder.getIntegerType(bits);
  }
}

RankedTensorType toMlir(MLIRContext *context, const TensorType &type) {
  return RankedTensorType::get(type.shape, toMlir(context, type.dtype));
}

static std::optional<DType> integerDType(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  if (type.isSigned())
    return std::nullopt;
  switch (type.getWidth()) {
  case 1:
    return isUnsigned ? std::nullopt : std::optional(DType::Bool);
  case 8:
    return isUnsigned ? DType::U8 : DType::I8;
  case 16:
    return isUnsigned ? DType::U16 : DType::I16;
  case 32:
    return isUnsigned ? DType::U32 : DType::I32;
  case 64:
    return isUnsigned ? DType::U64 : DType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<DType> toModel(Type type) {
  if (type.isF64())
    return DType::F64;
  if (type.isF32())
    return DType::F32;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF16())
    return DType::F16;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerDType(integer);
  return std::nullopt;
}

TensorType toModel(RankedTensorType type) {
  std::optional<DType> dtype = toModel(type.getElementType());
  assert(dtype && "not an element type of the dialect");
  return {*dtype, Shape(type.getShape().begin(), type.getShape().end())};
}

HostTensor toHost(DenseElementsAttr elements) {
  auto host =
      HostTensor::zeros(toModel(cast<RankedTensorType>(elements.getType())));
  if (host.type.dtype == DType::Bool) {
    size_t i = 0;
    for (bool value : elements.getValues<bool>())
      host.bytes[i++] = std::byte(value);
    return host;
  }
  ArrayRef<char> raw = elements.getRawData();
  host.fill({reinterpret_cast<const std::byte *>(raw.data()), raw.size()});
  return host;
}

bool isSplat(DType dtype, std::span<const std::byte> bytes) {
  const size_t element = sizeOf(dtype);
  return bytes.size() > element &&
         memcmp(bytes.data(), &bytes[element], bytes.size() - element) == 0;
}

DenseElementsAttr toAttr(MLIRContext *context, const TensorType &type,
                         std::span<const std::byte> bytes) {
  RankedTensorType mlirType = toMlir(context, type);
  if (type.dtype == DType::Bool) {
    SmallVector<bool> values;
    for (std::byte value : bytes)
      values.push_back(value != std::byte(0));
    return DenseElementsAttr::get(mlirType, values);
  }
  auto stored =
      isSplat(type.dtype, bytes) ? bytes.first(sizeOf(type.dtype)) : bytes;
  return DenseElementsAttr::getFromRawBuffer(
      mlirType,
      ArrayRef(reinterpret_cast<const char *>(stored.data()), stored.size()));
}

} // namespace smp::ir
