// SPDX-License-Identifier: Apache-2.0
// Meeting whoever connects.

#ifndef SMP_DRIVERS_RANKS_RECEPTION_H
#define SMP_DRIVERS_RANKS_RECEPTION_H

#include "Talk.h"
#include "smp/base/Log.h"

namespace smp {

/// Lets in the ranks above this one and turns all others away, side by side:
/// who says nothing, or too little, costs a descriptor, and is the first to go
/// when there are too many.
class Reception {
public:
  /// Borrows `self` and `log`.
  Reception(const Introduction &self, const LogSink &log);
  void openAt(Listener where) { listener = std::move(where); }
  const Listener &at() const { return listener; }

  /// Does what goes without waiting; an error when a rank of this job does not
  /// fit, which ends the start.
  Status advance();
  /// Adds what advance() waits for.
  void addTo(std::vector<pollfd> &files) const;

  struct Guest {
    Descriptor connection;
    std::string address; // Where it listens.
  };
  /// By rank; not valid while it has not come.
  std::vector<Guest> guests;
  /// Of the connections that are no rank's, with a semicolon in front.
  std::string describeStrangers() const;

private:
  struct Newcomer {
    Talk talk;
    std::string from;
    bool turnedAway = false; // Kept until it has read why.
  };
  Verdict admit(uint32_t rank);
  Status acceptAll();
  Status meet(Descriptor connection);
  bool dropOldest();
  /// Whether the newcomer is done with.
  StatusOr<bool> advance(Newcomer &newcomer);
  void turnAway(const std::string &from, const Status &why);

  const Introduction &self;
  const LogSink &log;
  Listener listener;
  std::vector<Newcomer> newcomers; // The oldest first.
  std::vector<bool> admitted;      // By rank.
  std::vector<std::string> strangers;
  size_t strangerCount = 0;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_RECEPTION_H
