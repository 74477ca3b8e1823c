// SPDX-License-Identifier: Apache-2.0
// Arrays of Python as the runtime's tensors, and back.

#ifndef SMP_PYTHON_ARRAYS_H
#define SMP_PYTHON_ARRAYS_H

#include "smp/exec/SessionTypes.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <vector>

namespace smp::python {

/// NumPy's name: "float32", "bfloat16", "bool".
const char *numpyName(DType type);

/// What is in `value`, where it is: an array of NumPy, or of anything that
/// speaks DLPack or the buffer protocol, in host memory. One that is not
/// row-major is copied, and what is no array (a number, a list) becomes one of
/// `wanted`. Lives as long as this does.
class ReadArray {
public:
  /// `what` is for errors: "input 'x'".
  ReadArray(nanobind::handle value, DType wanted, const char *what,
            std::string_view name);
  TensorView view() const;

private:
  nanobind::ndarray<nanobind::ro> array;
  std::vector<std::byte> copied; // Empty: used where it is.
  DType type;
};

/// Memory that an array has, to write into. It must be row-major, writable and
/// of `wanted`; it is never copied.
class WrittenArray {
public:
  WrittenArray(nanobind::handle value, DType wanted, std::string_view name);
  void *data() const { return array.data(); }
  uint64_t bytes() const { return array.nbytes(); }

private:
  nanobind::ndarray<> array;
};

/// A new array of NumPy, whose `data` is to be written. bfloat16 needs the
/// package ml_dtypes.
nanobind::object makeArray(DType type, std::span<const int64_t> shape,
                           void *&data);

} // namespace smp::python

#endif // SMP_PYTHON_ARRAYS_H
