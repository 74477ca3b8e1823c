// SPDX-License-Identifier: Apache-2.0
#include "Parameters.h"
#include <algorithm>

namespace smp::cuda {

void **Parameters::of(const CudaKernel &kernel,
                      std::span<const BufferView> buffers) {
  const size_t count = buffers.size() + 2;
  if (values.size() < count) {
    values.resize(count);
    places.resize(count);
    for (size_t i = 0; i < count; ++i)
      places[i] = &values[i];
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    values[i] = deviceAddress(buffers[i]);
  values[buffers.size()] = kernel.faults;
  values[buffers.size() + 1] = kernel.workspace;
  return places.data();
}

} // namespace smp::cuda
