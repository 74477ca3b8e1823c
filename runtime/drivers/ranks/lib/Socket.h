// SPDX-License-Identifier: Apache-2.0
// Sockets and the frames that ranks exchange over them.

#ifndef SMP_DRIVERS_RANKS_SOCKET_H
#define SMP_DRIVERS_RANKS_SOCKET_H

#include "smp/device/Communicator.h"
#include <functional>

namespace smp {

/// A file descriptor that is closed with its owner.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int file) : file(file) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor &&other) noexcept : file(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept;

  int get() const { return file; }
  bool valid() const { return file >= 0; }
  void reset();

private:
  int release();
  int file = -1;
};

/// "tcp:host:port" or "unix:/path".
struct SocketAddress {
  bool isUnix = false;
  std::string host; ///< Or the path.
  std::string port;

  static StatusOr<SocketAddress> parse(const std::string &text);
  std::string text() const;
};

StatusOr<Descriptor> listenOn(const SocketAddress &address);
/// Tries again until somebody listens or the deadline passes.
StatusOr<Descriptor> connectTo(const SocketAddress &address, Deadline deadline);
StatusOr<Descriptor> acceptFrom(const Descriptor &listener, Deadline deadline);
/// The address that `listener`, on any port, is reached at from where
/// `connection` leads to.
StatusOr<SocketAddress> reachableAddress(const Descriptor &listener,
                                         const Descriptor &connection);

/// What comes before the bytes of a message. Little-endian on the wire.
struct FrameHeader {
  enum class Kind : uint32_t { Hello = 1, Data = 2, Failure = 3, Bye = 4 };
  static constexpr size_t kBytes = 40;
  static constexpr uint64_t kMostBytes = uint64_t(1) << 36;

  Kind kind = Kind::Data;
  MessageTag tag;
  uint64_t bytes = 0;

  void encode(std::byte (&to)[kBytes]) const;
  /// False for what is no frame of this version.
  bool decode(const std::byte (&from)[kBytes]);
};

/// Asked now and then while a transfer waits; an error ends it.
using StillWanted = std::function<Status()>;

/// Sends header and bytes. An error in the middle leaves the connection of no
/// use; `started` says whether that is so.
Status sendFrame(int socket, const FrameHeader &header,
                 std::span<const std::byte> bytes, Deadline deadline,
                 const StillWanted &stillWanted, bool &started);
/// Fills `bytes`. Unavailable when the other side is gone.
Status receiveBytes(int socket, std::span<std::byte> bytes, Deadline deadline,
                    const StillWanted &stillWanted);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_SOCKET_H
