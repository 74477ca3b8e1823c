// SPDX-License-Identifier: Apache-2.0
// The interpreter's lock: given back while the runtime works, and asked for by
// a thread that the interpreter may end there.

#ifndef SMP_PYTHON_UNLOCKED_H
#define SMP_PYTHON_UNLOCKED_H

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace smp::python {

/// What `work` gives, which asks for the lock: it takes it back, or runs code
/// of Python, which lets go of it now and then. While the interpreter ends,
/// CPython before 3.14 ends every other thread that asks, by unwinding its
/// stack: destructors would run without the lock, and the first one that is
/// noexcept would end the process. Such a thread sleeps here, as CPython 3.14
/// has it do, until the process is gone. `work` itself has nothing to destroy.
template <typename Work>
auto whileItLasts(Work &&work) -> decltype(work()) {
#ifdef __GLIBCXX__ // Others do not unwind.
  try {
    return work();
  } catch (abi::__forced_unwind &) {
    for (;;)
      pause();
  }
#else
  return work();
#endif
}

/// Of a package or module of Python, which is imported if it is not yet.
inline nanobind::object attributeOf(const char *module, const char *name) {
  const nanobind::object imported =
      whileItLasts([&] { return nanobind::module_::import_(module); });
  return imported.attr(name);
}

/// The lock is given back while this lives. The only way that the module lets
/// go of it.
class Unlocked {
public:
  Unlocked() noexcept : state(PyEval_SaveThread()) {}
  ~Unlocked() {
    whileItLasts([this] { PyEval_RestoreThread(state); });
  }
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

private:
  PyThreadState *state;
};

} // namespace smp::python

#endif // SMP_PYTHON_UNLOCKED_H
