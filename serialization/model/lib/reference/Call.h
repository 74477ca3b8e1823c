// SPDX-License-Identifier: Apache-2.0
// One op being evaluated: its operands and attributes, checked on access.

#ifndef SMP_LIB_REFERENCE_CALL_H
#define SMP_LIB_REFERENCE_CALL_H

#include "Value.h"
#include <initializer_list>
#include <string>
#include <string_view>

namespace smp::reference {

/// What a reference function works on. The first failure is kept; a function
/// returns early when a check fails, and its results are then dropped.
class Call {
public:
  Call(const GraphOp &op, std::span<const HostTensor *const> operands,
       std::span<const TensorType> resultTypes)
      : op(op), operands(operands), resultTypes(resultTypes),
        results(resultTypes.size()) {}

  const GraphOp &op;
  std::span<const HostTensor *const> operands;
  std::span<const TensorType> resultTypes;
  /// What the op passes on when that is one element for all; operand 0 then
  /// has a type alone. Null for most ops: see Splats::Kept.
  const Splat *splat = nullptr;
  std::vector<Value> results;
  std::string error;

  const HostTensor &operand(size_t i) const { return *operands[i]; }
  const TensorType &type(size_t i) const { return operands[i]->type; }
  const Shape &shape(size_t i) const { return operands[i]->type.shape; }
  DType dtype(size_t i) const { return operands[i]->type.dtype; }

  bool failed() const { return !error.empty(); }
  /// Notes a failure unless `condition` holds. Returns the condition.
  bool require(bool condition, std::string_view reason) {
    if (!condition && error.empty())
      error = reason;
    return condition;
  }

  /// An attribute; a missing one or one of another kind is a failure, and gives
  /// zero or nothing.
  int64_t integer(std::string_view name);
  double number(std::string_view name);
  const std::vector<int64_t> &list(std::string_view name);
  /// A flag: 0 when absent.
  bool flag(std::string_view name);
  /// The position of an enum attribute in `words`; `absent` >= 0 is the
  /// position that a missing one has.
  size_t word(std::string_view name,
              std::initializer_list<std::string_view> words, int absent = -1);

  /// An attribute that names one of `rank` dimensions.
  int64_t dimension(std::string_view name, size_t rank);
  /// An attribute that names distinct dimensions below `rank`.
  const std::vector<int64_t> &dimensions(std::string_view name, size_t rank);

  /// Checks that result `i` is declared as `type` and makes it, zeroed. Null
  /// after a failure.
  HostTensor *makeResult(const TensorType &type, size_t i = 0);
  /// Where there is a `splat`: checks likewise, and makes result 0 of its
  /// element. Whether there is one.
  bool passSplatOn(const TensorType &type);

private:
  bool checkResult(const TensorType &type, size_t i);
  template <typename T>
  const T *attribute(std::string_view name, std::string_view kind);
};

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_CALL_H
