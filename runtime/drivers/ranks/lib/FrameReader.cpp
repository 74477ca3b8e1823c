// SPDX-License-Identifier: Apache-2.0
#include "FrameReader.h"
#include <algorithm>

namespace smp {

std::span<std::byte> FrameReader::room() {
  return (inBody ? std::span<std::byte>(body) : std::span<std::byte>(head))
      .subspan(at);
}

StatusOr<bool> FrameReader::filled(size_t bytes) {
  at += bytes;
  if (!inBody) {
    if (at < head.size())
      return false;
    SMP_ASSIGN_OR_RETURN(current, FrameHeader::decode(head));
    SMP_ASSIGN_OR_RETURN(body, accept(current));
    assert(body.size() <= current.bytes && "memory for another frame");
    assert(body.empty() == (current.bytes == 0) && "memory for no byte");
    inBody = true;
    at = 0;
  }
  if (at < body.size())
    return false;
  if (at < current.bytes) {
    body.resize(std::min<uint64_t>(2 * at, current.bytes));
    return false;
  }
  inBody = false;
  at = 0;
  return true;
}

} // namespace smp
