// SPDX-License-Identifier: Apache-2.0
#include "Caller.h"
#include <cerrno>
#include <cstring>

namespace smp {

void Caller::tryAgain(const Status &why) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  problem = why.message();
  connection.reset();
  talk.reset();
  tried = (tried + 1) % where.size();
  next = Clock::now() + kPause;
}

void Caller::connectNow() {
  constexpr auto kAttempt = std::chrono::seconds(5);
  const RawAddress &raw = where[tried];
  connection = openSocket(raw.family());
  if (connect(connection.get(), raw.get(), raw.size) && errno != EINPROGRESS)
    return tryAgain(unavailable(std::strerror(errno)));
  next = Clock::now() + kAttempt;
}

/// A port that nobody listens at may connect to itself.
static bool isItself(const Descriptor &connection) {
  StatusOr<RawAddress> here = RawAddress::here(connection.get());
  StatusOr<RawAddress> there = RawAddress::there(connection.get());
  return here.ok() && there.ok() && here->family() != AF_UNIX &&
         here->readable().text() == there->readable().text();
}

bool Caller::isConnected() {
  pollfd ready{connection.get(), POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof(error);
  if (poll(&ready, 1, 0) <= 0) {
    if (Clock::now() < next)
      return false;
    error = ETIMEDOUT;
  } else {
    getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (!error && isItself(connection))
      error = ECONNREFUSED;
  }
  if (error)
    tryAgain(unavailable(std::strerror(error)));
  return !error;
}

Status Caller::greet() {
  if (where[tried].family() == AF_UNIX)
    SMP_RETURN_IF_ERROR(checkUserOf(connection.get()).in(address.text()));
  sendAtOnce(connection);
  std::string own;
  if (ownAddress) {
    SMP_ASSIGN_OR_RETURN(own, ownAddress(connection));
  }
  SMP_ASSIGN_OR_RETURN(Digest number, drawNumber());
  talk.emplace(std::move(connection),
               Handshake::call(*self, number, rank, std::move(own)));
  problem = "it does not answer";
  return Status();
}

Status Caller::advance() {
  if (!talk && !connection.valid() && Clock::now() >= next)
    connectNow();
  if (!talk && connection.valid() && isConnected())
    SMP_RETURN_IF_ERROR(greet());
  if (!talk || hasMet())
    return Status();
  const Status connected = talk->advance();
  if (talk->handshake().over())
    return talk->handshake().status().in(address.text());
  if (!connected.ok())
    tryAgain(connected);
  return Status();
}

std::optional<pollfd> Caller::waitsFor() const {
  if (talk)
    return talk->waitsFor();
  if (connection.valid())
    return pollfd{connection.get(), POLLOUT, 0};
  return std::nullopt;
}

std::string Caller::describe() const {
  return std::to_string(rank) + (rank ? " at " + address.text() : "") + " (" +
         problem + "; is rank " + std::to_string(rank) + " running?)";
}

} // namespace smp
