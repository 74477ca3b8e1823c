// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: what the ops of the dialect mean, in plain loops.
//
// It defines results for tests, constant folding and `smp-run --reference`.
// Floats are computed in f64 (f64 itself: functions in long double) and rounded
// once per op result; integers wrap. Composites are computed from their
// definitions, not by their decompositions. Work is spread over threads, which
// does not change results.

#ifndef SMP_MODEL_REFERENCE_H
#define SMP_MODEL_REFERENCE_H

#include "smp/model/Graph.h"
#include <functional>
#include <string>
#include <string_view>

namespace smp {

/// Results of one op or one graph, or why there are none.
struct [[nodiscard]] Evaluation {
  std::vector<HostTensor> results;
  /// What "assign" ops gave, by variable name.
  std::map<std::string, HostTensor, std::less<>> assigned;
  /// Empty when evaluated; else names the op and the reason.
  std::string error;

  bool ok() const { return error.empty(); }
};

/// The value of a variable at the start of the step; null when there is none of
/// that name. The tensor outlives the evaluation.
using VariableLookup = std::function<const HostTensor *(std::string_view name)>;

/// Evaluates one op (not "read" or "assign"). `operands` are borrowed;
/// `resultTypes` are what the graph declares and must be what the op gives.
/// Any op, attribute or operand gives results or an error.
Evaluation evaluateOp(const GraphOp &op,
                      std::span<const HostTensor *const> operands,
                      std::span<const TensorType> resultTypes);

/// Evaluates a graph: `results` are its outputs. Values are freed after their
/// last use. Any graph gives results or an error.
Evaluation evaluate(const Graph &graph, std::span<const HostTensor> inputs,
                    const VariableLookup &variables);

/// The mnemonics that have a reference, sorted.
std::vector<std::string_view> referenceMnemonics();

} // namespace smp

#endif // SMP_MODEL_REFERENCE_H
