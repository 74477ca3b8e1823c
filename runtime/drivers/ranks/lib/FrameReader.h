// SPDX-License-Identifier: Apache-2.0
// Frames, put together from bytes as they come.

#ifndef SMP_DRIVERS_RANKS_FRAMEREADER_H
#define SMP_DRIVERS_RANKS_FRAMEREADER_H

#include "RankProtocol.h"
#include <functional>

namespace smp {

using MessageBytes = std::vector<std::byte>;

/// Puts together what one rank sends. It waits for nothing and knows no
/// connection, so that who stops in the middle of a frame holds up nobody else.
class FrameReader {
public:
  /// Memory for the bytes of a frame, or for the first of them: then it grows
  /// as they come, to twice what is there at most. Or why it is not taken.
  /// Asked once per frame, when no more than its header is there.
  using Accept = std::function<StatusOr<MessageBytes>(const FrameHeader &)>;
  explicit FrameReader(Accept accept) : accept(std::move(accept)) {}

  /// Where the next bytes go; never empty.
  std::span<std::byte> room();
  /// That so many came. True: header() and takeBytes() are a whole frame's,
  /// until the next call. After an error it is of no more use.
  StatusOr<bool> filled(size_t bytes);

  const FrameHeader &header() const { return current; }
  MessageBytes takeBytes() { return std::move(body); }

private:
  Accept accept;
  std::array<std::byte, FrameHeader::kBytes> head = {};
  FrameHeader current;
  MessageBytes body;
  size_t at = 0; // In the header and then in the bytes.
  bool inBody = false;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_FRAMEREADER_H
