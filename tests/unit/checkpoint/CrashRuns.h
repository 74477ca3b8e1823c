// SPDX-License-Identifier: Apache-2.0
// Saves whose disk the crash model takes apart.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_CRASHRUNS_H
#define SMP_TESTS_UNIT_CHECKPOINT_CRASHRUNS_H

#include "CrashModel.h"
#include "RankTraining.h"

namespace smp::test {

inline const std::string kRoot = "/", kParent = "/runs", kFolder = "/runs/a";
inline constexpr uint32_t kMostRanks = 4;

/// Which checkpoints saves make, and which of them stay.
struct CrashPlan {
  const char *name = "Newest"; ///< Each save but the first deletes one.
  std::optional<double> keepEveryHours = {};
  std::optional<KeepBest> keepBest = {};
  std::optional<int64_t> number = {}; ///< Of each save.
  std::optional<double> metric = {};  ///< Of the first save; larger ones later.
  bool isPinned = false;              ///< The first one, once it is saved.
  int64_t maxToKeep = 1;              ///< Of the managers.
  bool isPruned = false;              ///< To the newest one, in the end.
  std::string stays = {};             ///< Is complete once it is reported.

  SaveOptions wanted(int save) const;
};
inline std::ostream &operator<<(std::ostream &out, const CrashPlan &plan) {
  return out << plan.name;
}

/// The rest of the rules, a plan each.
std::vector<CrashPlan> crashPlans();

/// A rank that trains, with a value of its own, of more than one block.
class CrashRun {
public:
  /// Null: alone.
  CrashRun(FileSystem &files, uint32_t rank, Communicator *communicator,
           const CrashPlan &plan = {});
  /// Trains to where the save `number` is to be made.
  void trainFor(int number);
  /// Restores what is there, and trains from there on.
  void goOn();

  RankTraining training;
  std::string value;
  CheckpointManager manager;

private:
  uint32_t rank;
  int trained = 0;
};

/// So many saves from the first one on.
Recording recordSaves(uint32_t ranks, int saves, const CrashPlan &plan = {});

/// What the crash model finds in saves of so many ranks.
CrashReport crash(Recording recording, uint32_t ranks,
                  CrashOptions options = {}, const CrashPlan &plan = {});

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_CRASHRUNS_H
