// SPDX-License-Identifier: Apache-2.0
#include "Tensors.h"
#include "ExternalFiles.h"
#include "ModelFile.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;
using smp::ir::Weight;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

static std::optional<Weight> readExternal(const onnx::TensorProto &tensor,
                                          uint64_t bytes, ExternalFiles &files,
                                          std::string &error) {
  std::string location;
  uint64_t offset = 0, length = bytes;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    bool isOffset = entry.key() == "offset", isLength = entry.key() == "length";
    if ((isOffset || isLength) &&
        StringRef(entry.value()).getAsInteger(10, isOffset ? offset : length)) {
      error = "has external data with the " + entry.key() + " '" +
              entry.value() + "', which is no number of bytes";
      return std::nullopt;
    }
  }
  if (length != bytes) {
    error = "has external data of " + std::to_string(length) +
            " bytes; the type needs " + std::to_string(bytes);
    return std::nullopt;
  }
  StatusOr<Weight> weight = files.read(location, offset, length);
  if (weight.ok())
    return weight.take();
  error = weight.status().message();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Data in the message
//===----------------------------------------------------------------------===//

/// Takes raw_data out of the message without a copy.
static Weight takeRaw(onnx::TensorProto &tensor) {
  auto owner =
      std::make_shared<std::string>(std::move(*tensor.mutable_raw_data()));
  std::span<const std::byte> bytes(
      reinterpret_cast<const std::byte *>(owner->data()), owner->size());
  return {{}, bytes, std::move(owner)};
}

/// Stores each item of a repeated field as a Stored.
template <typename Stored, typename Field>
static Weight convertItems(const Field &items) {
  std::vector<Stored> values;
  values.reserve(size_t(items.size()));
  for (auto item : items)
    values.push_back(static_cast<Stored>(item));
  return ir::makeOwnedWeight({}, std::as_bytes(std::span(values)));
}

static Weight readItems(const onnx::TensorProto &tensor, DType dtype) {
  switch (dtype) {
  case DType::F32:
    return convertItems<float>(tensor.float_data());
  case DType::F64:
    return convertItems<double>(tensor.double_data());
  case DType::I64:
    return convertItems<int64_t>(tensor.int64_data());
  case DType::U64:
    return convertItems<uint64_t>(tensor.uint64_data());
  case DType::U32:
    return convertItems<uint32_t>(tensor.uint64_data());
  case DType::I32:
    return convertItems<int32_t>(tensor.int32_data());
  case DType::I16:
  case DType::U16:
  case DType::F16:
  case DType::BF16: // Their bits.
    return convertItems<uint16_t>(tensor.int32_data());
  case DType::I8:
  case DType::U8:
    return convertItems<uint8_t>(tensor.int32_data());
  case DType::Bool:
    return convertItems<uint8_t>(tensor.int32_data());
  }
  return {};
}

/// Makes every byte of a bool tensor 0 or 1.
static Weight normaliseBools(const Weight &weight) {
  std::vector<std::byte> bytes;
  for (std::byte value : weight.bytes)
    bytes.push_back(std::byte(value != std::byte(0)));
  return ir::makeOwnedWeight({}, bytes);
}

static bool hasUnknownLocation(const onnx::TensorProto &tensor) {
  const auto &fields = tensor.GetReflection()->GetUnknownFields(tensor);
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == onnx::TensorProto::kDataLocationFieldNumber)
      return true;
  return false;
}

std::optional<Weight> readTensor(onnx::TensorProto &tensor,
                                 ExternalFiles &files, std::string &error) {
  std::optional<DType> dtype = dtypeOf(tensor.data_type(), error);
  if (!dtype)
    return std::nullopt;
  TensorType type{*dtype, Shape(tensor.dims().begin(), tensor.dims().end())};
  std::optional<int64_t> bytes = checkedBytes(type);
  if (!bytes || type.shape.size() > 64) {
    error =
        "has the shape [" +
        llvm::join(llvm::map_range(type.shape,
                                   [](int64_t d) { return std::to_string(d); }),
                   ", ") +
        "], which is no shape of a tensor";
    return std::nullopt;
  }
  if (hasUnknownLocation(tensor) || tensor.has_segment()) {
    error = "keeps its data neither in the model nor in a file";
    return std::nullopt;
  }
  std::optional<Weight> weight;
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    weight = readExternal(tensor, uint64_t(*bytes), files, error);
  else
    weight =
        tensor.has_raw_data() ? takeRaw(tensor) : readItems(tensor, *dtype);
  if (!weight)
    return std::nullopt;
  if (weight->bytes.size() != uint64_t(*bytes)) {
    error = "has " + std::to_string(weight->bytes.size()) + " bytes of data; " +
            toString(type) + " needs " + std::to_string(*bytes);
    return std::nullopt;
  }
  if (*dtype == DType::Bool)
    weight = normaliseBools(*weight);
  weight->type = std::move(type);
  return weight;
}

} // namespace smp::frontend
