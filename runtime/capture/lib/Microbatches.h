// SPDX-License-Identifier: Apache-2.0
// A step's value, microbatch by microbatch.

#ifndef SMP_CAPTURE_MICROBATCHES_H
#define SMP_CAPTURE_MICROBATCHES_H

#include "PackedValue.h"
#include <string>

namespace smp {

/// How the microbatches of a value lie in it.
struct MicrobatchLayout {
  uint32_t count = 1;
  /// The dimension that they are joined along; -1: the first, which none of
  /// them has by itself.
  int32_t axis = -1;
};

/// "loss/microbatch_3".
std::string microbatchName(std::string_view name, uint32_t microbatch);

/// Takes a value apart.
class Microbatches {
public:
  /// `value` outlives this, and `layout` is true of it.
  Microbatches(const StepValue &value, const MicrobatchLayout &layout);
  /// That of microbatch `m`, until the next call.
  StepValue at(uint32_t m);

private:
  const StepValue &value;
  std::vector<int64_t> shape; ///< Of one.
  size_t rows = 1, rowBytes;  ///< Of one: what lies together, how often.
  uint32_t count;
  std::vector<std::byte> copied;
};

} // namespace smp

#endif // SMP_CAPTURE_MICROBATCHES_H
