// SPDX-License-Identifier: Apache-2.0
#include "ModelFile.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/unknown_field_set.h>

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

namespace smp::frontend {

std::unique_ptr<onnx::ModelProto> parseModel(llvm::StringRef bytes,
                                             std::string &error) {
  if (bytes.empty()) {
    error = "the file is empty";
    return nullptr;
  }
  if (bytes.size() > size_t(INT32_MAX)) {
    error = "the file has " + std::to_string(bytes.size()) +
            " bytes; a protobuf message has less than 2 GiB (keep weights as "
            "external data)";
    return nullptr;
  }
  auto model = std::make_unique<onnx::ModelProto>();
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(bytes.data()), int(bytes.size()));
  if (!model->ParseFromCodedStream(&stream) ||
      !stream.ConsumedEntireMessage()) {
    error = "the bytes do not parse as an ONNX model; the file is truncated or "
            "something else";
    return nullptr;
  }
  return model;
}

std::string nameOfDataType(int32_t type) {
  static const char *const names[] = {
      "UNDEFINED",      "FLOAT",        "UINT8",          "INT8",
      "UINT16",         "INT16",        "INT32",          "INT64",
      "STRING",         "BOOL",         "FLOAT16",        "DOUBLE",
      "UINT32",         "UINT64",       "COMPLEX64",      "COMPLEX128",
      "BFLOAT16",       "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
      "FLOAT8E5M2FNUZ", "UINT4",        "INT4",           "FLOAT4E2M1",
      "FLOAT8E8M0",     "UINT2",        "INT2",           "FLOAT6E2M3",
      "FLOAT6E3M2"};
  if (type < 0 || size_t(type) >= std::size(names))
    return "number " + std::to_string(type);
  return names[type];
}

std::optional<DType> dtypeOf(int32_t type, std::string &error) {
  switch (type) {
  case onnx::TensorProto::FLOAT:
    return DType::F32;
  case onnx::TensorProto::UINT8:
    return DType::U8;
  case onnx::TensorProto::INT8:
    return DType::I8;
  case onnx::TensorProto::UINT16:
    return DType::U16;
  case onnx::TensorProto::INT16:
    return DType::I16;
  case onnx::TensorProto::INT32:
    return DType::I32;
  case onnx::TensorProto::INT64:
    return DType::I64;
  case onnx::TensorProto::BOOL:
    return DType::Bool;
  case onnx::TensorProto::FLOAT16:
    return DType::F16;
  case onnx::TensorProto::DOUBLE:
    return DType::F64;
  case onnx::TensorProto::UINT32:
    return DType::U32;
  case onnx::TensorProto::UINT64:
    return DType::U64;
  case onnx::TensorProto::BFLOAT16:
    return DType::BF16;
  default:
    error = "element type " + nameOfDataType(type) +
            " is not supported; use a float, integer or bool type";
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Fields that the installed schema does not know
//===----------------------------------------------------------------------===//

template <typename Message>
static const UnknownFieldSet &unknownOf(const Message &message) {
  return message.GetReflection()->GetUnknownFields(message);
}

/// Calls `visit` with each length-delimited field of that number.
template <typename Visit>
static void forEachBytes(const UnknownFieldSet &fields, int number,
                         Visit visit) {
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField &field = fields.field(i);
    if (field.number() == number &&
        field.type() == UnknownField::TYPE_LENGTH_DELIMITED)
      visit(field.length_delimited());
  }
}

static std::string firstString(const UnknownFieldSet &fields, int number) {
  std::string result;
  forEachBytes(fields, number, [&](const std::string &text) {
    if (result.empty())
      result = text;
  });
  return result;
}

std::string overloadOf(const onnx::NodeProto &node) {
  return firstString(unknownOf(node), 8);
}

std::string overloadOf(const onnx::FunctionProto &function) {
  return firstString(unknownOf(function), 13);
}

std::optional<std::vector<DeviceConfiguration>>
deviceConfigurationsOf(const onnx::NodeProto &node) {
  std::vector<DeviceConfiguration> result;
  bool isSound = true;
  forEachBytes(unknownOf(node), 10, [&](const std::string &bytes) {
    UnknownFieldSet fields;
    isSound &= fields.ParseFromString(bytes);
    DeviceConfiguration &configuration = result.emplace_back();
    configuration.id = firstString(fields, 1);
    for (int i = 0; i < fields.field_count(); ++i) {
      const UnknownField &field = fields.field(i);
      configuration.isSharded |= field.number() == 2;
      if (field.number() == 3 && field.type() == UnknownField::TYPE_VARINT)
        configuration.stage = int32_t(field.varint());
    }
  });
  return isSound ? std::optional(result) : std::nullopt;
}

std::optional<std::vector<std::string>>
configurationNamesOf(const onnx::ModelProto &model) {
  std::vector<std::string> result;
  bool isSound = true;
  forEachBytes(unknownOf(model), 26, [&](const std::string &bytes) {
    UnknownFieldSet fields;
    isSound &= fields.ParseFromString(bytes);
    result.push_back(firstString(fields, 1));
  });
  return isSound ? std::optional(result) : std::nullopt;
}

std::optional<std::vector<onnx::AttributeProto>>
attributeDefaultsOf(const onnx::FunctionProto &function) {
  std::vector<onnx::AttributeProto> result;
  bool isSound = true;
  forEachBytes(unknownOf(function), 11, [&](const std::string &bytes) {
    isSound &= result.emplace_back().ParseFromString(bytes);
  });
  return isSound ? std::optional(result) : std::nullopt;
}

} // namespace smp::frontend
