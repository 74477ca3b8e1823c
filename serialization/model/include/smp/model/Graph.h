// SPDX-License-Identifier: Apache-2.0
// A model graph as plain data: what a program carries for people and for the
// reference evaluator. Compiled stages do not refer to it.

#ifndef SMP_MODEL_GRAPH_H
#define SMP_MODEL_GRAPH_H

#include "smp/model/HostTensor.h"
#include <map>
#include <variant>

namespace smp {

/// A tensor of equal elements, kept as one: it may stand for more of them than
/// there is memory.
struct Splat {
  TensorType type;
  std::vector<std::byte> element; ///< The bytes of one.
};

/// An op's attribute. Flags are int64_t 0 or 1, enums their lower-case word. A
/// tensor of several elements, all with the same bytes, is a Splat.
using Attribute = std::variant<int64_t, double, std::string,
                               std::vector<int64_t>, HostTensor, Splat>;

/// Who decided a placement. Numbers are stored in files.
enum class Origin : uint8_t { User = 0, Propagated = 1, Solver = 2 };

struct Placement {
  static constexpr int32_t kAll = -1;
  int32_t partition = 0; ///< 0..P-1, or kAll: on every device.
  Origin origin = Origin::Propagated;
  bool operator==(const Placement &) const = default;
};

/// One op: the dialect's op without its MLIR. `mnemonic` is "add", "conv" ...;
/// attributes have the names and meanings that the dialect's documentation
/// gives (docs/generated/SmpOps.md). "smp.unit" is on ops that are not forward
/// ones: the words "backward_input" and "backward_weight", which some programs
/// lack, and "update" for those that run once per step, after the microbatches.
/// "smp.part_of" is on ops without a name: that of the op
/// that they were made for. "smp.pin_seconds", a double, is on pinned ops of a
/// program that was compiled with an explanation: by how much the slowest
/// partition would take less per microbatch without the pin.
struct GraphOp {
  std::string name; ///< From the source model; may be empty.
  std::string mnemonic;
  std::vector<uint32_t> operands; ///< Indices into Graph::values.
  std::vector<uint32_t> results;  ///< Indices into Graph::values.
  std::map<std::string, Attribute> attributes;
  Placement placement;
};

struct GraphValue {
  std::string name; ///< From the source model; may be empty.
  TensorType type;
};

/// The ops of one entry, in an order in which operands precede their users.
/// A variable's value comes from a "read" op with attribute "variable".
struct Graph {
  std::vector<GraphValue> values;
  std::vector<GraphOp> ops;
  std::vector<uint32_t> inputs;  ///< The entry's inputs, in order.
  std::vector<uint32_t> outputs; ///< The entry's outputs, in order.
};

} // namespace smp

#endif // SMP_MODEL_GRAPH_H
