// SPDX-License-Identifier: Apache-2.0
// Small ONNX models for tests, from protobuf's text format, and their import.

#ifndef SMP_TESTS_IMPORT_MODELBUILDER_H
#define SMP_TESTS_IMPORT_MODELBUILDER_H

#include "mlir/IR/MLIRContext.h"
#include "smp/import/OnnxImport.h"
#include "smp/ir/Smp.h"
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

namespace smp {

/// The model that the text describes; opset 17 unless it says otherwise.
inline onnx::ModelProto parseText(const std::string &text) {
  onnx::ModelProto model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model))
      << text;
  if (!model.ir_version())
    model.set_ir_version(8);
  if (!model.opset_import_size())
    model.add_opset_import()->set_version(17);
  return model;
}

/// `name: f32[sizes]` as a graph's input or output.
inline std::string tensorInfo(const std::string &field, const std::string &name,
                              const std::vector<std::string> &sizes,
                              int elementType = 1) {
  std::string dims;
  for (const std::string &size : sizes)
    dims += isdigit(size[0]) ? "dim { dim_value: " + size + " } "
                             : "dim { dim_param: '" + size + "' } ";
  return field + " { name: '" + name +
         "' type { tensor_type { elem_type: " + std::to_string(elementType) +
         " shape { " + dims + "} } } }\n";
}

/// A tensor `name: i64` with these numbers.
inline std::string int64s(const std::string &name,
                          const std::vector<int64_t> &values) {
  std::string text = "initializer { name: '" + name +
                     "' data_type: 7 dims: " + std::to_string(values.size());
  for (int64_t value : values)
    text += " int64_data: " + std::to_string(value);
  return text + " }";
}

/// Imports models and keeps what was reported.
class Import {
public:
  explicit Import(const onnx::ModelProto &model, OnnxOptions options = {})
      : Import(model.SerializeAsString(), options) {}
  explicit Import(const std::string &bytes, OnnxOptions options = {}) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      error += d.str() + "\n";
      return mlir::success();
    });
    auto imported = importOnnx(&context, bytes, "m.onnx", ".", options);
    if (succeeded(imported))
      model = std::move(*imported);
  }

  bool ok() const { return bool(model.module); }
  ir::EntryOp entry() { return *model.module->getOps<ir::EntryOp>().begin(); }
  /// The ops of that kind in the entry.
  template <typename OpT>
  std::vector<OpT> ops() {
    std::vector<OpT> found;
    entry().walk([&](OpT op) { found.push_back(op); });
    return found;
  }

  mlir::MLIRContext context;
  ImportedModel model;
  std::string error;
};

} // namespace smp

#endif // SMP_TESTS_IMPORT_MODELBUILDER_H
