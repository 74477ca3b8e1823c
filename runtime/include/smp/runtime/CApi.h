// SPDX-License-Identifier: Apache-2.0
// From the C API to C++ and back: for libraries over libsmp that have functions
// in C, as libsmp-debugger, and for applications in both languages. It is part
// of the C++ API: unlike smp/smp.h it may change with every release. Since 0.1.

#ifndef SMP_RUNTIME_CAPI_H
#define SMP_RUNTIME_CAPI_H

#include "smp/base/Log.h"
#include "smp/runtime/Session.h"
#include "smp/smp.h"

namespace smp::capi {

/// The Session of a handle, which has it as long as it is there.
SMP_API Session &sessionOf(smp_session &handle);

/// For the caller of a function in C, who owns it. Null for ok.
SMP_API smp_error *toError(Status status);

/// The error of a pointer that must not be null: see SMP_RETURN_IF_NULL.
SMP_API smp_error *nullError(const char *function, const char *what);
/// The same before it is given to the caller.
SMP_API Status nullStatus(const char *function, const char *what);

/// Empty for null.
SMP_API std::string text(const char *string);

/// Null for none.
SMP_API LogSink logTo(smp_log log, void *user);

/// Tensor `i` of an array of an application, which may be compiled with the
/// header of another release: what it does not have is zero. Fails for another
/// size than that of the first, for one smaller than that of 0.1, and where
/// fields are set that are not known here.
SMP_API StatusOr<smp_tensor> tensorAt(const smp_tensor *tensors, size_t i);

/// Refers to the shape and data of a tensor. Fails for an element type that
/// there is not, for a rank above kMostDimensions, and for no shape where the
/// rank is not 0.
SMP_API StatusOr<TensorView> viewOf(const smp_tensor &tensor);

/// Structs that a function gives, as a list of pointers that ends with null, so
/// that fields can be added to them.
template <typename T>
class Listed {
public:
  /// Of `items`, which stay where they are until the next call.
  const T *const *give(size_t *out_count) {
    pointers.clear();
    for (const T &item : items)
      pointers.push_back(&item);
    if (out_count)
      *out_count = pointers.size();
    pointers.push_back(nullptr);
    return pointers.data();
  }

  /// For a caller who has no object to ask.
  static const T *const *none(size_t *out_count) {
    if (out_count)
      *out_count = 0;
    return nullptr;
  }

  std::vector<T> items;

private:
  std::vector<const T *> pointers;
};

} // namespace smp::capi

/// Begins a function in C that gives an error: that of a pointer that is null,
/// which it names as the function's header does.
#define SMP_RETURN_IF_NULL(pointer)                                            \
  do {                                                                         \
    if (!(pointer))                                                            \
      return smp::capi::nullError(__func__, #pointer);                         \
  } while (false)

#endif // SMP_RUNTIME_CAPI_H
