// SPDX-License-Identifier: Apache-2.0
// Saves beside training: one is under way, one waits.

#ifndef SMP_CHECKPOINT_SAVEQUEUE_H
#define SMP_CHECKPOINT_SAVEQUEUE_H

#include "SaveInterval.h"
#include "SaveJob.h"
#include "SaveOrders.h"
#include "StepTimes.h"
#include "smp/base/ProcessMark.h"
#include "smp/base/Thread.h"
#include "smp/checkpoint/CheckpointManager.h"
#include <array>
#include <deque>
#include <mutex>

namespace smp {

/// Decides which saves are made, and makes them on a thread of its own, which
/// starts with the first. There is memory for two: that of the one under way is
/// free for the next once it is written.
class SaveQueue {
public:
  struct Work {
    /// Takes what the save is of, between two steps, into the slot. Somebody
    /// waits until it is made, or nobody does.
    std::function<Status(SaveSlot &, bool isAwaited)> take;
    /// Makes the checkpoint; adds to the job's cost. On the queue's thread.
    std::function<SaveResult(SaveJob &)> make;
    /// The failure of a save that nobody waits for.
    std::function<void(const Status &)> sayFailure;
  };
  struct Options {
    WhenBusy whenBusy;
    std::optional<double> budget;
    SaveInterval interval;
    double deadlineSeconds; ///< For other ranks.
  };
  /// Borrows the lane; null: one rank.
  SaveQueue(Communicator *lane, Options options, Work work);
  /// Waits until all saves are made.
  ~SaveQueue();

  /// Asks for a save. One that must be is not left out for the budget, and its
  /// failure is for who waits for it to say.
  CheckpointSave ask(bool must, const SaveOptions &options, OnSaved onSaved);
  /// What is restored needs no save until a step is made.
  void noteRestored();
  /// Not in a process that was forked off since, where nothing is saved.
  bool isHere() const { return mark.isHere(); }
  /// Not ok there.
  Status check() const;
  /// Waits until all saves are made.
  void drain();
  /// Counts a call that is no save, of which it gives the number.
  uint64_t countCall();
  SaveCounts counts() const;

private:
  struct Entry : SaveJob {
    bool must = false, checkInterval = true;
    /// Of the interval: its step, and the last one before it.
    std::optional<int64_t> step = {}, stepBefore = {};
  };
  using Lock = std::unique_lock<std::mutex>;

  CheckpointSave makeSave(bool must, const SaveOptions &wanted,
                          OnSaved onSaved);
  StatusOr<SaveVerdict> decide(Entry &job);
  bool isIdle() const { return !isBusy && waiting.empty(); }
  bool hasPlace() const { return waiting.size() + isBusy < slots.size(); }
  SaveVerdict choose(Lock &hold, Entry &job);
  bool isSpaced(const Entry &job) const;
  std::optional<Entry> extract(uint64_t call);
  void leaveOut(Entry &job, uint64_t SaveCounts::*count,
                const SaveResult &result);
  Status take(Entry &job);
  void add(Entry job);
  Status startThread();
  void threadMain();
  bool runNext();
  Entry find(Lock &hold, uint64_t call);
  void finish(Entry &job, const SaveResult &result);

  const Options options;
  const Work work;
  const ProcessMark mark;
  SaveOrders orders;
  mutable std::mutex lock; // Of all below but the slots' memory.
  Changes changes;
  std::array<SaveSlot, 2> slots;
  std::deque<Entry> waiting; // Oldest first.
  bool isBusy = false;       // With one under way.
  bool closing = false;
  uint64_t calls = 0;
  SaveCounts counted;
  SaveInterval interval;
  double cost = 0; // Of the last save: seconds.
  StepTimes steps; // Of the first rank.
  std::chrono::steady_clock::time_point lastMade{};
  std::unique_ptr<Thread> thread;
};

} // namespace smp

#endif // SMP_CHECKPOINT_SAVEQUEUE_H
