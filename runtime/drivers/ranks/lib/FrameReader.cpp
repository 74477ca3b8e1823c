// SPDX-License-Identifier: Apache-2.0
#include "FrameReader.h"

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
    StatusOr<FrameHeader> header = FrameHeader::decode(head);
    if (!header.ok())
      return header.status();
    current = *header;
    StatusOr<MessageBytes> memory = accept(current);
    if (!memory.ok())
      return memory.status();
    body = memory.take();
    assert(body.size() == current.bytes && "memory for another frame");
    inBody = true;
    at = 0;
  }
  if (at < body.size())
    return false;
  inBody = false;
  at = 0;
  return true;
}

} // namespace smp
