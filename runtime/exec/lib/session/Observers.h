// SPDX-License-Identifier: Apache-2.0
// Who is told of the steps of a Session.

#ifndef SMP_EXEC_OBSERVERS_H
#define SMP_EXEC_OBSERVERS_H

#include "../play/Pace.h"

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
  /// Those that were told of the step that tell() was called for, once.
  Observers takeTold();
  /// Of what takeTold() gave: the step is over. The first error of one that
  /// stops is returned, when all were called.
  Status tellAfterwards(const LogSink &log) const;
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
  bool wasTold = false;
};

} // namespace smp

#endif // SMP_EXEC_OBSERVERS_H
