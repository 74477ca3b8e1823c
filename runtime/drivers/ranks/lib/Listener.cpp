// SPDX-License-Identifier: Apache-2.0
#include "Listener.h"
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace smp {

Descriptor openSocket(int family) {
  return Descriptor(
      socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

void sendAtOnce(const Descriptor &connection) {
  const int yes = 1; // No effect on Unix sockets.
  setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

std::string describeOtherEnd(const Descriptor &connection) {
  StatusOr<RawAddress> other = RawAddress::there(connection.get());
  if (!other.ok())
    return "somebody who is gone";
  if (other->family() == AF_UNIX)
    return describeProcessOf(connection.get());
  const SocketAddress address = other->readable();
  return address.host + ":" + address.port;
}

StatusOr<Listener> Listener::listen(Listener made, const std::string &where) {
  constexpr int kWaiting = 128;
  if (::listen(made.get(), kWaiting))
    return systemError("listening on " + where);
  return made;
}

StatusOr<Listener> Listener::open(const RawAddress &where) {
  const SocketAddress address = where.readable();
  Listener made;
  made.socket = openSocket(where.family());
  if (address.isUnix) {
    SMP_ASSIGN_OR_RETURN(made.file,
                         SocketFile::listen(made.get(), address.host));
    return made;
  }
  const int yes = 1;
  setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (bind(made.get(), where.get(), where.size))
    return systemError("listening on " + address.text());
  return listen(std::move(made), address.text());
}

/// Whether nobody on this machine can listen there: the address is of another
/// or of a kind that this one has not.
static bool isNotHere(const RawAddress &where) {
  const Descriptor probe = openSocket(where.family());
  if (!probe.valid())
    return true;
  RawAddress anyPort = where;
  anyPort.setPort(0);
  return bind(probe.get(), anyPort.get(), anyPort.size) != 0;
}

StatusOr<Listener> Listener::openFirst(const std::vector<RawAddress> &where) {
  // At one that another has already, somebody may be called in our place.
  for (const RawAddress &address : where)
    if (address.family() == AF_UNIX || !isNotHere(address))
      return open(address);
  return open(where.back());
}

StatusOr<Listener> Listener::openBeside(const Descriptor &connection) {
  SMP_ASSIGN_OR_RETURN(RawAddress raw, RawAddress::here(connection.get()));
  raw.setPort(0);
  Listener made;
  made.socket = openSocket(raw.family());
  if (bind(made.get(), raw.get(), raw.size))
    return systemError("listening on any port of " + raw.readable().host);
  return listen(std::move(made), raw.readable().host);
}

StatusOr<SocketAddress> Listener::address() const {
  SMP_ASSIGN_OR_RETURN(RawAddress raw, RawAddress::here(get()));
  return raw.readable();
}

Descriptor Listener::accept() const {
  Descriptor connection(
      accept4(get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (connection.valid())
    sendAtOnce(connection);
  return connection;
}

} // namespace smp
