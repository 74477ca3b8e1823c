// SPDX-License-Identifier: Apache-2.0
// How the file numbers the alternatives of smp::Attribute.

#ifndef SMP_SERIALIZATION_LIB_GRAPHKINDS_H
#define SMP_SERIALIZATION_LIB_GRAPHKINDS_H

#include "smp/model/Graph.h"

namespace smp {

/// The index in the variant is the number in the file.
enum class AttributeKind : uint8_t {
  Integer = 0,
  Float = 1,
  String = 2,
  Integers = 3,
  Tensor = 4,
  Splat = 5,
};

static_assert(std::variant_size_v<Attribute> == 6);
static_assert(
    std::is_same_v<std::variant_alternative_t<4, Attribute>, HostTensor>);
static_assert(std::is_same_v<std::variant_alternative_t<5, Attribute>, Splat>);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_GRAPHKINDS_H
