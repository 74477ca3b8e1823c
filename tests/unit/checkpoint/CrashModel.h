// SPDX-License-Identifier: Apache-2.0
// Every state in which a power cut may leave a disk. A file's blocks and a
// folder's entries persist in any order and subset until they are synced; a
// rename is atomic.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_CRASHMODEL_H
#define SMP_TESTS_UNIT_CHECKPOINT_CRASHMODEL_H

#include "Recorder.h"
#include <functional>
#include <optional>
#include <unordered_map>

namespace smp::test {

/// What a disk restores to.
struct Restored {
  int number = 0;           ///< Of the save; 0: nothing is there.
  std::string problem = {}; ///< Else why it is none of them.
};

struct CrashOptions {
  /// Over so many open operations this many subsets are drawn.
  size_t mostOpen = 12, draws = 10000;
  uint32_t seed = 1;
  /// Disks that differ in files with temporary names alone are restored too.
  bool hasTemporaries = false;
  /// Also cuts where a rank is before something that is no sync: what they may
  /// leave on a disk, the cut that has it may leave too.
  bool hasEveryCut = false;
};

struct CrashReport {
  uint64_t cuts = 0, states = 0, disks = 0, drawnCuts = 0;
  std::string violation; ///< The first; empty: none.
};

/// Walks the consistent cuts of the ranks, and for each of them the subsets.
class CrashModel {
public:
  using Restore = std::function<Restored(MemoryDisk &)>;

  /// `root` is a folder that was there before.
  CrashModel(Recording recording, std::string root, Restore restore,
             CrashOptions options = {});
  /// `restore` must give the last save that a rank reported in the cut, or the
  /// one that is being made. Ends at the first violation.
  CrashReport run();

private:
  using Cut = std::vector<size_t>;    // How many events of each rank.
  using Chosen = std::vector<size_t>; // Events that reached the disk, in order.
  struct Disk;
  /// Which saves a cut may restore: the last reported one or the last begun.
  struct Promise {
    int reported = 0, begun = 0;
  };

  void orderEvents();
  void findSyncs();
  bool has(const Cut &cut, size_t event) const;
  const size_t *next(const Cut &cut, size_t rank) const;
  bool isFree(const Cut &cut, size_t event) const;
  void advance(Cut &cut) const;
  void checkCut(const Cut &cut);
  void checkSubsets(const Cut &cut, const Chosen &all,
                    const std::vector<size_t> &open);
  void checkDisk(const Promise &promise, const Chosen &all,
                 const Chosen &persisted);
  bool isThere(const Disk &disk, size_t name) const;
  Disk diskOf(const Chosen &persisted) const;
  const Restored &restoreFrom(const Disk &disk);

  const Recording events;
  const std::string root;
  const Restore restore;
  const CrashOptions options;
  std::vector<std::vector<size_t>> ofRank;    // Events, in order.
  std::vector<size_t> place;                  // Of an event in its rank's.
  std::vector<Cut> history;                   // With the event, what led to it.
  std::vector<std::optional<size_t>> senders; // By event that receives.
  std::vector<std::vector<size_t>> syncs;     // By event: what makes it last.
  std::vector<int> names, targets;            // By event: of path and to.
  std::vector<std::string> paths;             // By name.
  int numFiles = 0;
  std::unordered_map<std::string, Restored> known;
  CrashReport report;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_CRASHMODEL_H
