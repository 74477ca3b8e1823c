// SPDX-License-Identifier: Apache-2.0
#include "ToSavedModel.h"
#include "GraphExport.h"
#include "TensorFlowNodes.h"
#include "TensorFlowTables.h"

namespace smp::tensorflow {

/// Of graphs as TensorFlow 2.21 writes them, and the least that may read them.
static constexpr int kProducer = 2474, kMinConsumer = 12;
/// Of the kernels that have least: slices, reversals, selections.
static constexpr size_t kMostDimensions = 8;

static const Table &translations() {
  static const Table kTable = [] {
    Table table;
    addUnary(table);
    addBinary(table);
    addConvert(table);
    addShape(table);
    addProduct(table);
    addConv(table);
    addPool(table);
    addReduction(table);
    addComposite(table);
    addGather(table);
    addOrder(table);
    exporter::addCommon(table); // But for those that are there.
    return table;
  }();
  return kTable;
}

StatusOr<std::vector<Weight>> toSavedModel(const ExportedModel &model,
                                           proto::tensorflow::SavedModel &to) {
  to.set_saved_model_schema_version(1);
  proto::tensorflow::MetaGraph &graph = *to.add_meta_graphs();
  graph.mutable_meta_info_def()->add_tags("serve");
  graph.mutable_meta_info_def()->set_stripped_default_attrs(true);
  auto &versions = *graph.mutable_graph_def()->mutable_versions();
  versions.set_producer(kProducer);
  versions.set_min_consumer(kMinConsumer);
  auto &signature = *graph.add_signature_def();
  signature.set_key("serving_default");
  signature.mutable_value()->set_method_name("tensorflow/serving/predict");
  TensorFlowNodes nodes(*graph.mutable_graph_def(), *signature.mutable_value());
  SMP_RETURN_IF_ERROR(exporter::exportGraph(
      model, {"TensorFlow", translations(), kMostDimensions}, nodes));
  std::vector<Weight> weights = nodes.takeWeights();
  if (!weights.empty())
    addSaver(weights, nodes, graph);
  return weights;
}

} // namespace smp::tensorflow
