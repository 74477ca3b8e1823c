// SPDX-License-Identifier: Apache-2.0
#include "RankLane.h"
#include "smp/exec/SessionCore.h"
#include <algorithm>
#include <set>

namespace smp {

StatusOr<RankLane> RankLane::open(const Checkpoint &checkpoint) {
  std::set<SessionCore *> sessions;
  uint32_t ranks = 1;
  for (const Checkpoint::Root &root : checkpoint.roots())
    if (root.session()) {
      sessions.insert(root.session());
      ranks = std::max(ranks, root.session()->rankCount());
    }
  if (ranks > 1 && sessions.size() > 1)
    return failedPrecondition(
        "a Checkpoint has " + std::to_string(sessions.size()) +
        " Sessions, of which one is one of " + std::to_string(ranks) +
        " ranks; such a Session has a Checkpoint of its own");
  RankLane opened;
  if (ranks == 1)
    return opened;
  SessionCore &session = **sessions.begin();
  opened.lane = session.openLane();
  opened.orderLane = session.openLane();
  opened.seconds = session.deadlineSeconds();
  return opened;
}

RankGroup RankLane::meet(uint64_t number, uint32_t first) const {
  return {lane.get(), number, seconds, first};
}

double secondsFor(uint64_t bytes) {
  constexpr double kSlowestBytesPerSecond = 10e6;
  return double(bytes) / kSlowestBytesPerSecond;
}

} // namespace smp
