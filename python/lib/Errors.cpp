// SPDX-License-Identifier: Apache-2.0
#include "Errors.h"
#include "Unlocked.h"

namespace nb = nanobind;

void smp::python::raise(const Status &status) {
  const std::string &words = status.message();
  // Names of files may be no UTF-8.
  const nb::object message = nb::steal(
      PyUnicode_DecodeUTF8(words.data(), Py_ssize_t(words.size()), "replace"));
  const nb::object make = attributeOf("smp._errors", "of_code");
  const nb::object error =
      whileItLasts([&] { return make(int(status.code()), message); });
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                  error.ptr());
  throw nb::python_error();
}
