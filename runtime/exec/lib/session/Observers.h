// SPDX-License-Identifier: Apache-2.0
// Who is told of the steps of a Session.

#ifndef SMP_EXEC_OBSERVERS_H
#define SMP_EXEC_OBSERVERS_H

#include "../play/Pace.h"
#include <mutex>
#include <utility>

namespace smp {

class Observers {
public:
  void add(std::weak_ptr<StepObserver> observer, OnObserverError onError);

  /// Counts a step: its number among all, and among those of its mode.
  void count(CompletedStep &step);
  /// What they want of the next step of the entry, all together.
  RankWish wants(std::string_view entry, Mode mode) const;
  /// Tells all. An observer that fails is logged and forgotten; the error of
  /// one that stops is returned, when all were told.
  Status tell(const CompletedStep &step, const LogSink &log);
  /// How many were told of a step by tell() and are still here; once.
  size_t takeTold() { return std::exchange(numTold, 0); }
  /// The step is made, of which the first so many were told. Others may use the
  /// Session meanwhile. `status` is the step's, to which the first error of one
  /// that stops is added when all were called: an error that is not returned is
  /// logged.
  Status tellAfterwards(size_t told, Status status, const LogSink &log);
  /// Tells all of the values that a checkpoint takes, as tell() does.
  Status tellOfSnapshot(const LogSink &log);
  bool empty() const { return all.empty(); }

  StepCounts counts{};

private:
  struct Watched {
    std::weak_ptr<StepObserver> observer;
    OnObserverError onError;
  };
  template <typename Call, typename Name>
  Status tellAll(Call call, Name name, const LogSink &log);
  std::vector<Watched> all;
  std::mutex lock; // Of `all`, while it changes and after a step.
  size_t numTold = 0;
};

} // namespace smp

#endif // SMP_EXEC_OBSERVERS_H
