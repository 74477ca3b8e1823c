// SPDX-License-Identifier: Apache-2.0
// Who goes first in a play.

#ifndef SMP_MODEL_LIB_SCHEDULEPOLICIES_H
#define SMP_MODEL_LIB_SCHEDULEPOLICIES_H

#include "ListScheduler.h"

namespace smp {

/// Backward runs, weight runs among them, then forward ones, the lowest
/// microbatch first and of that the first stage; no microbatch begins before
/// the one `active` before it has finished.
class BackwardFirst : public SchedulePolicy {
public:
  explicit BackwardFirst(uint32_t active) : active(active) {}
  std::optional<uint32_t> choose(const PlayState &state,
                                 uint32_t partition) override;

protected:
  virtual bool mayStart(const PlayState &state, uint32_t stage) const;

private:
  const uint32_t active;
};

/// As BackwardFirst, but no backward run before the partition's last forward
/// one.
class ForwardsFirst final : public BackwardFirst {
public:
  using BackwardFirst::BackwardFirst;

private:
  bool mayStart(const PlayState &state, uint32_t stage) const override;
};

/// Forward and backward runs by turns, weight runs where there is a gap or
/// place is needed: the zero-bubble family.
class ByTurns final : public SchedulePolicy {
public:
  /// `most`: by partition, how many forward runs it may hold; a run is held
  /// until all that reads what it made has been done.
  explicit ByTurns(std::vector<uint32_t> most)
      : most(std::move(most)), isBackwardsTurn(this->most.size()) {}
  std::optional<uint32_t> choose(const PlayState &state,
                                 uint32_t partition) override;

private:
  bool mayStart(const PlayState &state, uint32_t stage) const;
  uint32_t countHeld(const PlayState &state, uint32_t partition) const;

  const std::vector<uint32_t> most;
  std::vector<bool> isBackwardsTurn; ///< By partition.
};

} // namespace smp

#endif // SMP_MODEL_LIB_SCHEDULEPOLICIES_H
