// SPDX-License-Identifier: Apache-2.0
// One op of a graph that becomes nodes of another format.

#ifndef SMP_TOOLS_EXPORTER_CALL_H
#define SMP_TOOLS_EXPORTER_CALL_H

#include "Nodes.h"
#include "smp/model/Graph.h"

namespace smp::exporter {

class Call {
public:
  /// Borrows all. `names` are those of the graph's values.
  Call(const Graph &graph, const GraphOp &op, Nodes &nodes, const Names &names)
      : graph(graph), op(op), to(nodes), names(names) {}

  // The op. What it lacks is empty, and told by lack().
  const TensorType &type(size_t i) const;
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

  // In what type it is computed: that of the first operand unless said else.
  DType dtype() const { return working.value_or(type(0).dtype); }
  /// From here on operands of the first one's type are cast to this one, and
  /// the results of that type from this one.
  void computeIn(DType type) { working = type; }
  std::string operand(size_t i);
  Names operands();

  // Nodes.
  Nodes &nodes() { return to; }
  const Words &words() const { return to.words(); }
  /// Of the type that it is computed in.
  std::string scalar(double value) { return to.scalar(dtype(), value); }
  /// Appends a node and gives its value.
  std::string make(const Node &node);
  std::string make(const char *type, const Names &inputs,
                   const Attributes &attributes = {}) {
    return make({type, inputs, attributes});
  }
  /// Appends the node that gives the op's results.
  void give(const Node &node);
  void give(const char *type, const Names &inputs,
            const Attributes &attributes = {}) {
    give({type, inputs, attributes});
  }
  /// Appends one that gives a result of several.
  void giveResult(size_t i, const Node &node);
  /// The value in another type, shape or order, where that differs.
  std::string cast(const std::string &value, DType from, DType to);
  std::string reshaped(const std::string &value, const Shape &from,
                       const Shape &to);
  std::string transposed(const std::string &value,
                         const std::vector<int64_t> &permutation);

private:
  void noteLack(std::string what) const;
  bool isWorked(DType type) const;

  const Graph &graph;
  const GraphOp &op;
  Nodes &to;
  const Names &names;
  std::optional<DType> working;
  std::map<uint32_t, std::string> worked; // Operands in that type, by value.
  mutable std::string lacking;
};

/// The type that an integer of 8 or 16 bits is computed in where a format has
/// no such sum or product: its low bits are the same. Others stay.
DType widened(DType type);
/// F32 for floats of 16 bits. Others stay.
DType withoutHalves(DType type);

/// For `dtype op(...)`: "" or why there is no counterpart, as "of integers".
using Translate = std::string (*)(Call &call);
/// By mnemonic.
using Table = std::map<std::string_view, Translate>;

} // namespace smp::exporter

#endif // SMP_TOOLS_EXPORTER_CALL_H
