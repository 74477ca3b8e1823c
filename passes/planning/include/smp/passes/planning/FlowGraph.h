// SPDX-License-Identifier: Apache-2.0
// An entry as plain data: what is made where, and who takes it.

#ifndef SMP_PASSES_PLANNING_FLOWGRAPH_H
#define SMP_PASSES_PLANNING_FLOWGRAPH_H

#include "smp/model/Schedule.h"
#include <cstdint>
#include <vector>

namespace smp::passes {

/// Ops and values by number; ops are in an order in which producers precede
/// users.
struct FlowGraph {
  /// What makes an input.
  static constexpr uint32_t kCaller = ~uint32_t(0);
  /// Of ops that each partition which needs them has for itself.
  static constexpr int32_t kEverywhere = -1;

  enum class Role : uint8_t {
    Kernel,   ///< Work, with results in memory.
    Alias,    ///< Another name for its operand's memory.
    Constant, ///< There before the step, as Read and Prepared are.
    Read,
    Prepared,
    Transfer, ///< Its operand, on another partition.
    Write,    ///< Assigns its operand to a variable.
  };
  struct Op {
    Role role = Role::Kernel;
    int32_t partition = 0;
    Phase phase = Phase::Forward;
    std::vector<uint32_t> operands, results; ///< Values.
    /// Which variable is read or assigned, which value has been prepared, which
    /// constant it is.
    uint32_t subject = 0;
    /// Of a source: that its value is sent from where a user has placed it.
    bool isPinned = false;
    double seconds = 0; ///< One run of it.
    /// Of a kernel, by operand: whether each element is read before the
    /// elements of results at the same place are written.
    std::vector<bool> readsInPlace;
    /// Of a kernel: bytes of each tensor that it needs while it runs, besides
    /// operands and results.
    std::vector<int64_t> temporaries;

    bool isSource() const {
      return role == Role::Constant || role == Role::Read ||
             role == Role::Prepared;
    }
  };
  struct Value {
    uint32_t maker = kCaller; ///< An op.
    int64_t bytes = 0;
    double copySeconds = 0, sendSeconds = 0;
    /// Of an input: whether microbatches can be in pieces, so that they must be
    /// copied.
    bool isInPieces = false;
  };
  /// A value that the entry gives.
  struct Result {
    uint32_t value = 0;
    bool isInPieces = false; ///< Where the caller wants it.
  };

  std::vector<Op> ops;
  std::vector<Value> values; ///< Inputs come first.
  std::vector<Result> results;
  uint32_t microbatches = 0; ///< Of a step; 0: any number.
  double weight = 1;         ///< Where what entries take is added up.

  uint32_t addValue(Value value) {
    values.push_back(value);
    return uint32_t(values.size() - 1);
  }
  /// The op that makes the value, or null.
  const Op *makerOf(uint32_t value) const {
    const uint32_t maker = values[value].maker;
    return maker == kCaller ? nullptr : &ops[maker];
  }
};

/// Who takes each value.
class FlowUsers {
public:
  explicit FlowUsers(const FlowGraph &graph);

  /// Ops, in order; one that takes the value twice is there twice.
  const std::vector<uint32_t> &of(uint32_t value) const { return users[value]; }
  /// Whether the entry gives the value.
  bool isResult(uint32_t value) const { return given[value]; }

private:
  std::vector<std::vector<uint32_t>> users;
  std::vector<bool> given;
};

/// By op: whether stages make it for themselves. These are sources, but for
/// those that a user placed, and for a read that another phase uses than the
/// one that assigns the variable, per microbatch: that phase must get what was
/// there before.
std::vector<bool> stageSources(const FlowGraph &graph);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_FLOWGRAPH_H
