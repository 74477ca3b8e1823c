// SPDX-License-Identifier: Apache-2.0
#include "GraphToOnnx.h"
#include "GraphExport.h"
#include "OnnxNodes.h"
#include "OnnxTables.h"
#include "smp/base/Version.h"
#include "smp/tools/ExportOnnx.h"

namespace smp::onnx {

/// The first that has the operator set; see Onnx.proto.
static constexpr int kIrVersion = 9;

DType withoutBf16(DType type) {
  return type == DType::BF16 ? DType::F32 : type;
}

static const Table &translations() {
  static const Table kTable = [] {
    Table table;
    exporter::addCommon(table);
    addElementwise(table);
    addShape(table);
    addContraction(table);
    addWindow(table);
    addReduction(table);
    addComposite(table);
    addIndexing(table);
    return table;
  }();
  return kTable;
}

StatusOr<std::vector<Weight>> toOnnx(const ExportedModel &model,
                                     proto::onnx::Model &result) {
  result.set_ir_version(kIrVersion);
  result.set_producer_name("smp");
  result.set_producer_version(std::string(versionString()));
  proto::onnx::OperatorSet &set = *result.add_opset_import();
  set.set_domain("");
  set.set_version(kOnnxOpset);
  result.mutable_graph()->set_name(model.entry);
  OnnxNodes nodes(*result.mutable_graph());
  const exporter::Format format = {"ONNX (operator set " +
                                       std::to_string(kOnnxOpset) + ")",
                                   translations(), SIZE_MAX};
  SMP_RETURN_IF_ERROR(exporter::exportGraph(model, format, nodes));
  return nodes.takeWeights();
}

} // namespace smp::onnx
