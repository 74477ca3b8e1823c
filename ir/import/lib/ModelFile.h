// SPDX-License-Identifier: Apache-2.0
// Bytes of an ONNX file to protobuf messages, and what the messages hold beyond
// the installed schema.

#ifndef SMP_IMPORT_LIB_MODELFILE_H
#define SMP_IMPORT_LIB_MODELFILE_H

#include "smp/model/Shape.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <onnx/onnx_pb.h>
#include <optional>

namespace smp::frontend {

/// The message, or null with the reason in `error`.
std::unique_ptr<onnx::ModelProto> parseModel(llvm::StringRef bytes,
                                             std::string &error);

/// The dtype of TensorProto.DataType number `type`, or nothing with the reason.
std::optional<DType> dtypeOf(int32_t type, std::string &error);
/// The name of TensorProto.DataType number `type`.
std::string nameOfDataType(int32_t type);

/// NodeProto.overload (field 8), newer than the installed schema.
std::string overloadOf(const onnx::NodeProto &node);
std::string overloadOf(const onnx::FunctionProto &function);

/// What NodeProto.device_configurations (field 10) says for one configuration.
struct DeviceConfiguration {
  std::string id;
  std::optional<int64_t> stage; ///< pipeline_stage, field 3.
  bool isSharded = false;       ///< Has sharding_spec, field 2.
};
/// Nothing when the bytes are damaged.
std::optional<std::vector<DeviceConfiguration>>
deviceConfigurationsOf(const onnx::NodeProto &node);
/// Names in ModelProto.configuration (field 26); nothing when damaged.
std::optional<std::vector<std::string>>
configurationNamesOf(const onnx::ModelProto &model);

/// A default of a function's attributes: FunctionProto.attribute_proto, field
/// 11. Nothing when damaged.
std::optional<std::vector<onnx::AttributeProto>>
attributeDefaultsOf(const onnx::FunctionProto &function);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_MODELFILE_H
