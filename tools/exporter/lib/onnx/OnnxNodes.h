// SPDX-License-Identifier: Apache-2.0
// An ONNX graph while it grows.

#ifndef SMP_TOOLS_EXPORTER_ONNXNODES_H
#define SMP_TOOLS_EXPORTER_ONNXNODES_H

#include "Onnx.pb.h"
#include "smp/model/Shape.h"
#include <map>
#include <set>
#include <span>
#include <variant>

namespace smp::onnx {

/// ONNX's number of an element type.
int32_t toOnnx(DType type);

struct Attribute {
  const char *name;
  std::variant<int64_t, float, std::string, std::vector<int64_t>> value;
};
using Attributes = std::vector<Attribute>;
using Names = std::vector<std::string>;

/// Nodes and initialisers with names of which each is there once.
class Nodes {
public:
  explicit Nodes(proto::onnx::Graph &graph) : graph(graph) {}

  /// `wanted`, or that and a number. Empty: "value".
  std::string fresh(const std::string &wanted);

  /// Appends a node. Names of nodes are made unique, too.
  void add(const char *type, const std::string &name, const Names &inputs,
           const Names &outputs, const Attributes &attributes);
  /// Appends one that gives `size` times the `element`.
  void addSplat(const std::string &name, const std::string &output, DType type,
                const Shape &shape, std::span<const std::byte> element);

  /// An initialiser of a name that is fresh; gives the message, for its bytes.
  proto::onnx::Tensor *initializer(const std::string &name,
                                   const TensorType &type);
  /// A tensor of few elements, once for equal ones.
  std::string constant(const TensorType &type,
                       std::span<const std::byte> bytes);
  /// Of rank 1.
  std::string ints(const std::vector<int64_t> &values);
  /// Of rank 0, rounded to the type.
  std::string scalar(DType type, double value);

private:
  proto::onnx::Graph &graph;
  std::set<std::string> taken, takenByNodes;
  std::map<std::string, int> counts;            // By what was wanted.
  std::map<std::string, std::string> constants; // By type and bytes.
};

} // namespace smp::onnx

#endif // SMP_TOOLS_EXPORTER_ONNXNODES_H
