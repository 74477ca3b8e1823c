// SPDX-License-Identifier: Apache-2.0
// All that is wrong with an input, as one error.

#ifndef SMP_SERIALIZATION_LIB_PROBLEMS_H
#define SMP_SERIALIZATION_LIB_PROBLEMS_H

#include "smp/base/Status.h"

namespace smp {

/// Of an input that may be hostile: a message has the first 100.
class Problems {
public:
  /// Nothing when it is ok.
  void add(const Status &problem) {
    if (problem.ok())
      return;
    if (++number <= kMost)
      message += (number == 1 ? "" : "; ") + problem.message();
    if (number == 1 || problem.code() == StatusCode::DataLoss)
      code = problem.code();
  }
  size_t count() const { return number; }

  /// Ok when there is none; DataLoss when one is that, else the first's code.
  Status status() const {
    if (number == 0)
      return Status();
    return Status(code, number <= kMost
                            ? message
                            : message + "; and " +
                                  std::to_string(number - kMost) + " more");
  }

private:
  static constexpr size_t kMost = 100;
  size_t number = 0;
  StatusCode code = StatusCode::Ok;
  std::string message;
};

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_PROBLEMS_H
