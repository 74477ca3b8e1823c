// SPDX-License-Identifier: Apache-2.0
// Errors of the runtime as exceptions with the same words.

#ifndef SMP_PYTHON_ERRORS_H
#define SMP_PYTHON_ERRORS_H

#include "smp/base/Status.h"
#include <nanobind/nanobind.h>

namespace smp::python {

/// Throws the class of smp._errors that is for the status's code.
[[noreturn]] void raise(const Status &status);

inline void check(const Status &status) {
  if (!status.ok())
    raise(status);
}

template <typename T>
T check(StatusOr<T> result) {
  if (!result.ok())
    raise(result.status());
  return result.take();
}

} // namespace smp::python

#endif // SMP_PYTHON_ERRORS_H
