// SPDX-License-Identifier: Apache-2.0
// A handshake over a connection.

#ifndef SMP_DRIVERS_RANKS_TALK_H
#define SMP_DRIVERS_RANKS_TALK_H

#include "Handshake.h"
#include "Listener.h"
#include <poll.h>

namespace smp {

/// A connection on which a handshake goes on.
class Talk {
public:
  Talk(Descriptor connection, Handshake handshake)
      : connection(std::move(connection)), shake(std::move(handshake)) {}

  /// Sends and receives what goes without waiting; an error when the connection
  /// is gone.
  Status advance();
  /// What advance() waits for.
  pollfd waitsFor() const;
  const Handshake &handshake() const { return shake; }
  const Descriptor &socket() const { return connection; }
  Descriptor take() { return std::move(connection); }

private:
  Descriptor connection;
  Handshake shake;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_TALK_H
