// SPDX-License-Identifier: Apache-2.0
// What the ranks of a Session tell each other between two steps.

#ifndef SMP_EXEC_RANKMEETING_H
#define SMP_EXEC_RANKMEETING_H

#include "smp/exec/SessionCore.h"
#include <string>
#include <vector>

namespace smp {

/// One conversation, which takes the place of a step in the order of steps:
/// every rank begins the same meetings between the same steps, and makes the
/// same calls in each. A call that fails ends the meeting for all ranks, with
/// an error of all later calls. A Session of one rank talks to itself.
class RankMeeting {
public:
  /// FailedPrecondition while a step runs. A step that begins later ends the
  /// meeting. Borrows the Session.
  static StatusOr<RankMeeting> begin(SessionCore &session);

  uint32_t rank() const;
  uint32_t size() const;
  /// Gives every rank the texts of all, by rank. Waits for the others as long
  /// as the Session's deadline is, and `moreSeconds`.
  StatusOr<std::vector<std::string>> exchange(std::string_view mine,
                                              double moreSeconds);
  /// Gives every rank the text of rank 0, which does not wait for them.
  StatusOr<std::string> hearFirst(std::string_view mine);

private:
  RankMeeting(SessionCore::State &state, uint64_t epoch)
      : state(&state), epoch(epoch) {}
  Status fail(Status why) const;

  SessionCore::State *state; // Borrowed.
  uint64_t epoch;
  uint32_t calls = 0;
};

} // namespace smp

#endif // SMP_EXEC_RANKMEETING_H
