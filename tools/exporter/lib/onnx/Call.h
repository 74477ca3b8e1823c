// SPDX-License-Identifier: Apache-2.0
// One op of a graph that becomes nodes of ONNX.

#ifndef SMP_TOOLS_EXPORTER_CALL_H
#define SMP_TOOLS_EXPORTER_CALL_H

#include "OnnxNodes.h"
#include "smp/model/Graph.h"

namespace smp::onnx {

class Call {
public:
  /// Borrows all. `names` are those of the graph's values.
  Call(const Graph &graph, const GraphOp &op, Nodes &nodes, const Names &names)
      : graph(graph), op(op), nodes(nodes), names(names) {}

  // The op. What it lacks is empty, and told by lack().
  const std::string &operand(size_t i) const;
  Names operands() const;
  const TensorType &type(size_t i) const;
  DType dtype() const { return type(0).dtype; }
  const Shape &shape(size_t i) const { return type(i).shape; }
  /// Of one dimension.
  int64_t size(size_t i, int64_t dimension) const;
  const TensorType &result() const;
  const std::vector<int64_t> &ints(const char *name) const;
  int64_t integer(const char *name) const; ///< 0 where it is not set.
  double number(const char *name) const;
  /// `otherwise` where it is not set.
  std::string word(const char *name, const char *otherwise) const;
  /// What was asked for first that the op does not have; "" when it had all.
  const std::string &lack() const { return lacking; }

  // Nodes.
  Nodes &onnx() { return nodes; }
  std::string scalar(double value) { return nodes.scalar(dtype(), value); }
  /// Appends a node and gives its value.
  std::string make(const char *node, const Names &inputs,
                   const Attributes &attributes = {});
  /// Appends the node that gives the op's results.
  void give(const char *node, const Names &inputs,
            const Attributes &attributes = {});
  /// The same for a node that gives one result in type `from`.
  void giveFrom(DType from, const char *node, const Names &inputs,
                const Attributes &attributes = {});
  /// The value in another type, shape or order, where that differs.
  std::string cast(const std::string &value, DType from, DType to);
  std::string reshaped(const std::string &value, const Shape &from,
                       const Shape &to);
  std::string transposed(const std::string &value,
                         const std::vector<int64_t> &permutation);

private:
  const Graph &graph;
  const GraphOp &op;
  Nodes &nodes;
  const Names &names;
  void noteLack(std::string what) const;

  mutable std::string lacking;
};

/// The type that an integer of 8 or 16 bits is computed in where ONNX has no
/// such sum or product: its low bits are the same. Others stay.
DType widened(DType type);
/// F32 for BF16, which many ops of the operator set do not have. Others stay.
DType withoutBf16(DType type);

/// For `dtype op(...)`: "" or why there is no counterpart, as "of integers".
using Translate = std::string (*)(Call &call);
/// By mnemonic.
using Table = std::map<std::string_view, Translate>;

void addElementwise(Table &table);
void addShape(Table &table);
void addContraction(Table &table);
void addWindow(Table &table);
void addReduction(Table &table);
void addComposite(Table &table);
void addIndexing(Table &table);

} // namespace smp::onnx

#endif // SMP_TOOLS_EXPORTER_CALL_H
