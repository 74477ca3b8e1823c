// SPDX-License-Identifier: Apache-2.0
// Bytes that are not in memory as a whole.

#ifndef SMP_SERIALIZATION_BYTESOURCE_H
#define SMP_SERIALIZATION_BYTESOURCE_H

#include "smp/base/Status.h"
#include <cstddef>
#include <functional>
#include <span>

namespace smp {

/// Takes bytes, each piece borrowed for the call.
using ByteSink = std::function<Status(std::span<const std::byte>)>;
/// Gives all bytes of something to a sink, in order, and its errors back.
using ByteSource = std::function<Status(const ByteSink &)>;

} // namespace smp

#endif // SMP_SERIALIZATION_BYTESOURCE_H
