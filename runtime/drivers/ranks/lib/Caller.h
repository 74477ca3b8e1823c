// SPDX-License-Identifier: Apache-2.0
// How one rank reaches another.

#ifndef SMP_DRIVERS_RANKS_CALLER_H
#define SMP_DRIVERS_RANKS_CALLER_H

#include "Talk.h"
#include <optional>

namespace smp {

/// Connects to one rank, again and again until it answers.
class Caller {
public:
  /// Where this rank listens, to be told on `connection`.
  using OwnAddress = std::function<StatusOr<std::string>(const Descriptor &)>;
  /// Borrows `self`. Null: this rank tells no address.
  /// `where` is all that the address may be; each is tried in turn.
  Caller(const Introduction &self, uint32_t rank, const SocketAddress &address,
         std::vector<RawAddress> where, OwnAddress ownAddress)
      : self(&self), rank(rank), address(address), where(std::move(where)),
        ownAddress(std::move(ownAddress)) {}

  /// Does what goes without waiting; an error when that rank and this one do
  /// not fit, which ends the start.
  Status advance();
  /// What advance() waits for, or only for time to pass.
  std::optional<pollfd> waitsFor() const;
  bool hasMet() const { return talk && talk->handshake().over(); }
  Descriptor take() { return talk->take(); }
  uint32_t callee() const { return rank; }
  /// The rank, and what is in the way.
  std::string describe() const;

private:
  using Clock = std::chrono::steady_clock;
  void connectNow();
  bool isConnected();
  Status greet();
  void tryAgain(const Status &why);

  const Introduction *self; // Borrowed.
  uint32_t rank;
  SocketAddress address;
  std::vector<RawAddress> where;
  size_t tried = 0; // Of `where`, now.
  OwnAddress ownAddress;
  Descriptor connection; // While it is being made.
  std::optional<Talk> talk;
  Clock::time_point next; // When to try again, or to give an attempt up.
  std::string problem;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_CALLER_H
