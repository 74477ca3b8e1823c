// SPDX-License-Identifier: Apache-2.0
// The door for Python: Sessions, and what belongs to them. Compiling is a
// process of its own, in smp/_compile.py.
#include "OpenSession.h"
#include "smp/base/Version.h"
#include <nanobind/stl/string_view.h>

NB_MODULE(_smp, module) {
  // Those that are inside when the interpreter ends keep what they use: the
  // warning would blame the module.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = nanobind::str(smp::versionString().data());
  smp::python::addPrograms(module);
  smp::python::addSessions(module);
  smp::python::addCheckpoints(module);
}
