// SPDX-License-Identifier: Apache-2.0
// Bytes over sockets that do not block.

#ifndef SMP_DRIVERS_RANKS_CONNECTION_H
#define SMP_DRIVERS_RANKS_CONNECTION_H

#include "RankProtocol.h"
#include <functional>

namespace smp {

/// Milliseconds for poll(): at most `most`, less when the deadline is near.
int pollTime(Deadline deadline, int most);
bool isPast(Deadline deadline);

/// Sends or receives what goes without waiting: 0 bytes when nothing does.
/// Unavailable when the other side is gone.
StatusOr<size_t> sendSome(int socket, std::span<const std::byte> bytes);
StatusOr<size_t> receiveSome(int socket, std::span<std::byte> bytes);

/// Asked now and then while a frame waits to be sent; an error ends it.
using StillWanted = std::function<Status()>;

/// What became of a frame that could not be sent.
enum class FrameFate : uint8_t {
  Sent,
  NotBegun, ///< The connection is as before.
  Cut,      ///< A part of it was sent: the connection is of no more use.
  Broken,   ///< The other side has closed, perhaps after its last word.
};

/// Sends header and bytes. A frame of which a part is sent is brought to its
/// end even if it is no more wanted, as long as the other side takes it.
Status sendFrame(int socket, const FrameHeader &header,
                 std::span<const std::byte> bytes, Deadline deadline,
                 const StillWanted &stillWanted, FrameFate &fate);
/// The same when it is always wanted and the connection is given up else.
Status sendFrame(int socket, const FrameHeader &header,
                 std::span<const std::byte> bytes, Deadline deadline);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_CONNECTION_H
