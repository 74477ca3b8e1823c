// SPDX-License-Identifier: Apache-2.0
// An ONNX graph while it grows.

#ifndef SMP_TOOLS_EXPORTER_ONNXNODES_H
#define SMP_TOOLS_EXPORTER_ONNXNODES_H

#include "GraphToOnnx.h"
#include "Nodes.h"

namespace smp::onnx {

class OnnxNodes final : public exporter::Nodes {
public:
  using Attributes = exporter::Attributes;
  using Names = exporter::Names;
  using Node = exporter::Node;

  explicit OnnxNodes(proto::onnx::Graph &graph) : graph(graph) {}

  void addInput(const std::string &wanted, const std::string &value,
                const TensorType &type) override;
  void addOutput(const std::string &wanted, const std::string &value,
                 const TensorType &type) override;
  /// An initialiser without its data, which are among the weights().
  std::string addVariable(const std::string &variable, const TensorType &type,
                          std::span<const std::byte> bytes) override;
  void add(const std::string &name, const Node &node,
           const Names &outputs) override;
  void addSplat(const std::string &name, const std::string &output,
                const TensorType &type,
                std::span<const std::byte> element) override;

  const exporter::Words &words() const override;
  Node reshape(const std::string &value, const Shape &shape) override;
  Node expand(const std::string &value, const Shape &shape) override;
  Node transpose(const std::string &value,
                 const std::vector<int64_t> &permutation) override;
  Node cast(const std::string &value, DType to) override;

  std::vector<Weight> takeWeights() { return std::move(weights); }

private:
  void addConstant(const std::string &name, const TensorType &type,
                   std::span<const std::byte> bytes) override;
  proto::onnx::Tensor *initializer(const std::string &name,
                                   const TensorType &type);

  proto::onnx::Graph &graph;
  std::set<std::string> takenByNodes;
  std::map<std::string, int> countsOfNodes; // By what was wanted.
  std::vector<Weight> weights;
};

} // namespace smp::onnx

#endif // SMP_TOOLS_EXPORTER_ONNXNODES_H
