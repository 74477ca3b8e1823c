// SPDX-License-Identifier: Apache-2.0
// Connections of others, and to others.

#ifndef SMP_DRIVERS_RANKS_LISTENER_H
#define SMP_DRIVERS_RANKS_LISTENER_H

#include "Descriptor.h"
#include "SocketAddress.h"
#include "SocketFile.h"

namespace smp {

/// Where others connect to this rank.
class Listener {
public:
  Listener() = default; // Nowhere.
  static StatusOr<Listener> open(const RawAddress &where);
  /// At the first of these that can be had; there is one.
  static StatusOr<Listener> openFirst(const std::vector<RawAddress> &where);
  /// At any port of the address that this end of `connection` has.
  static StatusOr<Listener> openBeside(const Descriptor &connection);

  /// -1: nowhere.
  int get() const { return socket.get(); }
  /// As others may be told, when it is no Unix socket.
  StatusOr<SocketAddress> address() const;
  /// The next connection that waits, not blocking; not valid, with errno, when
  /// none does or it cannot be had.
  Descriptor accept() const;

private:
  static StatusOr<Listener> listen(Listener made, const std::string &where);
  Descriptor socket;
  SocketFile file;
};

/// A socket that does not block.
Descriptor openSocket(int family);
/// Small messages leave at once.
void sendAtOnce(const Descriptor &connection);
/// Who is at the other end: "10.0.0.7:41234", "process 12 of user 1000".
std::string describeOtherEnd(const Descriptor &connection);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_LISTENER_H
