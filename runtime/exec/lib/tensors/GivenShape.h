// SPDX-License-Identifier: Apache-2.0
// Shapes that an application gives, compared and in messages.

#ifndef SMP_EXEC_GIVENSHAPE_H
#define SMP_EXEC_GIVENSHAPE_H

#include "smp/exec/SessionTypes.h"
#include "smp/model/Shape.h"
#include <algorithm>

namespace smp {

/// Whether that shape is given. Sizes are looked at where their number is
/// right.
inline bool isGiven(std::span<const int64_t> shape, const Shape &wanted) {
  return shape.size() == wanted.size() && std::ranges::equal(shape, wanted);
}

/// "2x8"; where there are more sizes than the `wanted`, "of 64 dimensions":
/// such a rank is more likely wrong than the shape, and nobody knows what is
/// there.
inline std::string describeGiven(std::span<const int64_t> shape,
                                 size_t wanted) {
  return shape.size() > wanted
             ? "of " + std::to_string(shape.size()) + " dimensions"
             : toString(Shape(shape.begin(), shape.end()));
}

/// "f32[2x8]", or "f32 of 64 dimensions".
inline std::string describeGiven(const TensorView &tensor, size_t wanted) {
  const std::string type(toString(tensor.dtype));
  return tensor.shape.size() > wanted
             ? type + " " + describeGiven(tensor.shape, wanted)
             : toString(TensorType{tensor.dtype,
                                   {tensor.shape.begin(), tensor.shape.end()}});
}

} // namespace smp

#endif // SMP_EXEC_GIVENSHAPE_H
