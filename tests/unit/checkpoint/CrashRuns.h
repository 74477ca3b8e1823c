// SPDX-License-Identifier: Apache-2.0
// Saves whose disk the crash model takes apart.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_CRASHRUNS_H
#define SMP_TESTS_UNIT_CHECKPOINT_CRASHRUNS_H

#include "CrashModel.h"
#include "RankTraining.h"

namespace smp::test {

inline const std::string kRoot = "/", kParent = "/runs", kFolder = "/runs/a";
inline constexpr uint32_t kMostRanks = 4;

/// A rank that trains, with a value of its own, of more than one block.
class CrashRun {
public:
  /// Null: alone.
  CrashRun(FileSystem &files, uint32_t rank, Communicator *communicator);
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

/// So many saves from the first one on; each but it deletes its predecessor.
Recording recordSaves(uint32_t ranks, int saves);

/// What the crash model finds in saves of so many ranks.
CrashReport crash(Recording recording, uint32_t ranks,
                  CrashOptions options = {});

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_CRASHRUNS_H
