// SPDX-License-Identifier: Apache-2.0
// Where ranks are reached.

#ifndef SMP_DRIVERS_RANKS_SOCKETADDRESS_H
#define SMP_DRIVERS_RANKS_SOCKETADDRESS_H

#include "smp/base/Status.h"
#include <sys/socket.h>
#include <vector>

namespace smp {

/// "tcp:host:port" or "unix:/path".
struct SocketAddress {
  bool isUnix = false;
  std::string host; ///< Or the path.
  std::string port;

  static StatusOr<SocketAddress> parse(const std::string &text);
  std::string text() const;
};

/// An address as the system wants it.
struct RawAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  sockaddr *get() { return reinterpret_cast<sockaddr *>(&storage); }
  const sockaddr *get() const {
    return reinterpret_cast<const sockaddr *>(&storage);
  }
  int family() const { return storage.ss_family; }
  /// Not of a Unix socket; 0: any that is free.
  void setPort(uint16_t port);
  /// Whether only processes of this machine are there: a Unix socket,
  /// 127.0.0.0/8 or ::1.
  bool isOfThisMachine() const;
  /// As numbers, or the path.
  SocketAddress readable() const;

  /// Of a Unix socket.
  static RawAddress ofPath(const std::string &path);
  /// Of this end of a connection or of a listener, and of the other end.
  static StatusOr<RawAddress> here(int socket);
  static StatusOr<RawAddress> there(int socket);
};

/// What names may be looked up for.
enum class Lookup {
  ToListen,
  ToConnect,
  Numbers, ///< None: what another rank said is not looked up.
};
/// All that the address may be, at least one, in the order to be tried. Asked
/// again it may be others: what is checked and what is used are of one answer.
StatusOr<std::vector<RawAddress>> resolve(const SocketAddress &address,
                                          Lookup lookup);

/// errno's meaning, of a call about `what`.
Status systemError(const std::string &what);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_SOCKETADDRESS_H
