// SPDX-License-Identifier: Apache-2.0
#include "Microbatches.h"
#include <algorithm>

namespace smp {

std::string microbatchName(std::string_view name, uint32_t microbatch) {
  return std::string(name) + "/microbatch_" + std::to_string(microbatch);
}

Microbatches::Microbatches(const StepValue &value,
                           const MicrobatchLayout &layout)
    : value(value), shape(value.shape.begin(), value.shape.end()),
      count(layout.count) {
  if (layout.axis < 0) {
    shape.erase(shape.begin());
  } else {
    shape[size_t(layout.axis)] /= count;
    for (int32_t i = 0; i < layout.axis; ++i)
      rows *= size_t(shape[size_t(i)]);
  }
  rowBytes = rows ? value.bytes.size() / count / rows : 0;
}

StepValue Microbatches::at(uint32_t m) {
  if (rows == 1)
    return {value.dtype, shape, value.bytes.subspan(m * rowBytes, rowBytes)};
  copied.resize(rows * rowBytes);
  for (size_t row = 0; row < rows; ++row)
    std::ranges::copy(
        value.bytes.subspan((row * count + m) * rowBytes, rowBytes),
        copied.begin() + ptrdiff_t(row * rowBytes));
  return {value.dtype, shape, copied};
}

} // namespace smp
