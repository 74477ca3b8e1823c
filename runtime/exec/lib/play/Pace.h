// SPDX-License-Identifier: Apache-2.0
// What ranks tell each other as a step begins.

#ifndef SMP_EXEC_PACE_H
#define SMP_EXEC_PACE_H

#include "smp/device/Communicator.h"
#include "smp/exec/StepObserver.h"

namespace smp {

/// What the observers of one rank want of a step.
struct RankWish {
  StepView view = StepView::Outputs;
  bool ofAllRanks = false; ///< And not only what the rank itself shows.
};

/// All ranks meet at the beginning of the first step and of each kMostAhead-th
/// after it, so that what a rank sends to one that sends it nothing waits there
/// for no more steps than that. At every other step a rank tells the others
/// that it goes on: who waits to meet it sees so, and takes no slow rank for
/// one that has stopped. Steps are counted as they are called, whatever becomes
/// of them: so all ranks count the same.
///
/// With it a rank says what its observers want. Where they meet each says also
/// whether it has some: until they meet again the others wait for the word of
/// those that do, and for nobody else's. A rank that could not meet the others
/// waits for all, and a rank that has told nobody of its observers wants
/// nothing: so all know the same of a step.
class Pace {
public:
  static constexpr uint32_t kMostAhead = 16;
  /// Borrows the communicator; null: one rank.
  explicit Pace(Communicator *communicator);

  void beginStep(uint64_t number);
  /// Meets the others if this step is one in which they meet, else tells them
  /// that it has begun, and waits for those that watch; ends before that when
  /// the step is over, or with an error of another rank. `isWatched`: whether
  /// the program can show something, and somebody may want to see it.
  Status keep(const RankWish &mine, bool isWatched);

  /// The most that any rank wants of the step; after keep().
  StepView view() const;
  /// By rank: whether it wants what all ranks show.
  const std::vector<bool> &gathering() const { return gathers; }
  /// The same of this rank.
  bool gathersHere() const;
  /// Whether this rank has observers that the others do not know of yet.
  bool isUnheard() const { return unheard; }

private:
  Status meet(const MessageTag &tag, std::byte mine);
  Status tell(const MessageTag &tag, std::byte mine);

  Communicator *communicator;
  uint64_t epoch = 0, steps = 0;
  std::vector<RankWish> wishes; // By rank.
  std::vector<bool> gathers;    // By rank.
  std::vector<bool> mayWatch;   // By rank; at the last meeting.
  bool unheard = false;
};

} // namespace smp

#endif // SMP_EXEC_PACE_H
