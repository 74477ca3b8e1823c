// SPDX-License-Identifier: Apache-2.0
// A graph of TensorFlow while it grows.

#ifndef SMP_TOOLS_EXPORTER_TENSORFLOWNODES_H
#define SMP_TOOLS_EXPORTER_TENSORFLOWNODES_H

#include "Nodes.h"
#include "ToSavedModel.h"

namespace smp::tensorflow {

/// A value is called as its node, or "node:1" where it is a second one. What
/// TensorFlow wants to be told of types follows from the values.
class TensorFlowNodes final : public exporter::Nodes {
public:
  using Names = exporter::Names;
  using Node = exporter::Node;

  /// Borrows both.
  TensorFlowNodes(proto::tensorflow::Graph &graph,
                  proto::tensorflow::Signature &signature)
      : graph(graph), signature(signature) {}

  void addInput(const std::string &wanted, const std::string &value,
                const TensorType &type) override;
  void addOutput(const std::string &wanted, const std::string &value,
                 const TensorType &type) override;
  /// A variable and what reads it.
  std::string addVariable(const std::string &variable, const TensorType &type,
                          std::span<const std::byte> bytes) override;
  /// Of one output, whose name is the node's.
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
  std::string spell(const std::string &name) const override;
  void addConstant(const std::string &name, const TensorType &type,
                   std::span<const std::byte> bytes) override;

  proto::tensorflow::Graph &graph;
  proto::tensorflow::Signature &signature;
  std::map<std::string, DType, std::less<>> types; // By value.
  std::vector<Weight> weights;
};

} // namespace smp::tensorflow

#endif // SMP_TOOLS_EXPORTER_TENSORFLOWNODES_H
