// SPDX-License-Identifier: Apache-2.0
// The keys of slices: numbers and texts whose bytes are in the order of what
// they stand for, TensorFlow's "ordered code".

#ifndef SMP_TOOLS_BUNDLE_LIB_ORDEREDCODE_H
#define SMP_TOOLS_BUNDLE_LIB_ORDEREDCODE_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace smp {

/// Of one axis: all of it has the start 0 and the length -1.
struct SliceExtent {
  int64_t start = 0, length = -1;
};

/// The key of a slice of the tensor `name`. It begins with a zero byte, which
/// no key of a tensor does.
std::string sliceKey(std::string_view name,
                     std::span<const SliceExtent> extents);

void appendOrderedNumber(std::string &to, uint64_t value);
void appendOrderedText(std::string &to, std::string_view text);
void appendOrderedSigned(std::string &to, int64_t value);

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_ORDEREDCODE_H
