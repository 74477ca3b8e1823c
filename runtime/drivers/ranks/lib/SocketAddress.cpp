// SPDX-License-Identifier: Apache-2.0
#include "SocketAddress.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace smp {

Status systemError(const std::string &what) {
  return unavailable(what + ": " + std::strerror(errno));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A number from 1 to 65535 without anything around it.
static bool isPort(const std::string &text) {
  constexpr size_t kMostDigits = 5;
  unsigned number = 0;
  for (char c : text) {
    if (c < '0' || c > '9' || text.size() > kMostDigits)
      return false;
    number = number * 10 + unsigned(c - '0');
  }
  return number >= 1 && number <= 65535;
}

static StatusOr<SocketAddress> parseTcp(const std::string &text) {
  SocketAddress address;
  const size_t colon = text.rfind(':');
  address.host = colon > 4 ? text.substr(4, colon - 4) : "";
  address.port = text.substr(colon + 1);
  // "tcp:[::1]:80" too.
  if (address.host.size() > 2 && address.host.front() == '[' &&
      address.host.back() == ']')
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host.empty() || address.port.empty())
    return invalidArgument("'" + text +
                           "' is no address of ranks; write tcp:host:port");
  if (!isPort(address.port))
    return invalidArgument("'" + text + "' has port '" + address.port +
                           "'; it must be a number from 1 to 65535");
  return address;
}

StatusOr<SocketAddress> SocketAddress::parse(const std::string &text) {
  if (text.rfind("tcp:", 0) == 0)
    return parseTcp(text);
  // A rank beside rank 0 adds its number to the path.
  constexpr size_t kMostPath = sizeof(sockaddr_un::sun_path) - 8;
  SocketAddress address;
  address.isUnix = true;
  if (text.rfind("unix:", 0) == 0)
    address.host = text.substr(5);
  if (address.host.empty() || address.host.size() >= kMostPath ||
      address.host.find('\0') != std::string::npos)
    return invalidArgument("'" + text +
                           "' is no address of ranks; write tcp:host:port, or "
                           "unix:/path with a path of less than " +
                           std::to_string(kMostPath) + " bytes");
  return address;
}

std::string SocketAddress::text() const {
  return isUnix ? "unix:" + host : "tcp:" + host + ":" + port;
}

//===----------------------------------------------------------------------===//
// Of the system
//===----------------------------------------------------------------------===//

template <typename Kind>
static Kind &as(RawAddress &raw) {
  return reinterpret_cast<Kind &>(raw.storage);
}
template <typename Kind>
static const Kind &as(const RawAddress &raw) {
  return reinterpret_cast<const Kind &>(raw.storage);
}

void RawAddress::setPort(uint16_t port) {
  if (family() == AF_INET6)
    reinterpret_cast<sockaddr_in6 &>(storage).sin6_port = htons(port);
  else
    reinterpret_cast<sockaddr_in &>(storage).sin_port = htons(port);
}

bool RawAddress::isOfThisMachine() const {
  if (family() == AF_UNIX)
    return true;
  if (family() == AF_INET)
    return ntohl(as<sockaddr_in>(*this).sin_addr.s_addr) >> 24 == 127;
  if (family() != AF_INET6)
    return false;
  const in6_addr &six = as<sockaddr_in6>(*this).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&six) ||
         (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

SocketAddress RawAddress::readable() const {
  if (family() == AF_UNIX)
    return {true, as<sockaddr_un>(*this).sun_path, ""};
  char text[INET6_ADDRSTRLEN] = {};
  SocketAddress address;
  if (family() == AF_INET6)
    inet_ntop(AF_INET6, &as<sockaddr_in6>(*this).sin6_addr, text, sizeof(text));
  else
    inet_ntop(AF_INET, &as<sockaddr_in>(*this).sin_addr, text, sizeof(text));
  address.host = text;
  address.port = std::to_string(ntohs(family() == AF_INET6
                                          ? as<sockaddr_in6>(*this).sin6_port
                                          : as<sockaddr_in>(*this).sin_port));
  return address;
}

StatusOr<RawAddress> RawAddress::here(int socket) {
  RawAddress raw;
  raw.size = sizeof(raw.storage);
  if (getsockname(socket, raw.get(), &raw.size))
    return systemError("getsockname");
  return raw;
}

StatusOr<RawAddress> RawAddress::there(int socket) {
  RawAddress raw;
  raw.size = sizeof(raw.storage);
  if (getpeername(socket, raw.get(), &raw.size))
    return systemError("getpeername");
  return raw;
}

RawAddress RawAddress::ofPath(const std::string &path) {
  RawAddress raw;
  auto &address = as<sockaddr_un>(raw);
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  raw.size = sizeof(sockaddr_un);
  return raw;
}

StatusOr<std::vector<RawAddress>> resolve(const SocketAddress &address,
                                          Lookup lookup) {
  if (address.isUnix)
    return std::vector{RawAddress::ofPath(address.host)};
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  if (lookup == Lookup::ToListen)
    hints.ai_flags |= AI_PASSIVE;
  if (lookup == Lookup::Numbers)
    hints.ai_flags |= AI_NUMERICHOST;
  addrinfo *found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (error)
    return unavailable(address.text() + ": " + gai_strerror(error));
  std::vector<RawAddress> all;
  for (const addrinfo *one = found; one; one = one->ai_next) {
    RawAddress &raw = all.emplace_back();
    raw.size = std::min<socklen_t>(one->ai_addrlen, sizeof(raw.storage));
    std::memcpy(&raw.storage, one->ai_addr, raw.size);
  }
  freeaddrinfo(found);
  return all;
}

} // namespace smp
