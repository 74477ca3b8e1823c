// SPDX-License-Identifier: Apache-2.0
// Who is told of the steps of a Session.

#ifndef SMP_EXEC_OBSERVERS_H
#define SMP_EXEC_OBSERVERS_H

#include "../play/Pace.h"
#include <mutex>
#include <vector>

namespace smp {

class Observers {
public:
  struct Watched {
    std::weak_ptr<StepObserver> observer;
    OnObserverError onError;
  };

  void add(std::weak_ptr<StepObserver> observer, OnObserverError onError);

  /// Counts a step: its number among all, and among those of its mode.
  void count(CompletedStep &step);
  /// What they want of the next step of the entry, all together.
  RankWish wants(std::string_view entry, Mode mode) const;
  /// Tells all. An observer that fails is logged and forgotten; the error of
  /// one that stops is returned, when all were told.
  Status tell(const CompletedStep &step, const LogSink &log);
  /// Those that tell() told of a step; once.
  std::vector<Watched> takeTold();
  /// The step is made, of which these were told. Others may use the Session
  /// meanwhile. `status` is the step's, to which the first error of one that
  /// stops is added when all were called: an error that is not returned is
  /// logged.
  Status tellAfterwards(std::vector<Watched> told, Status status,
                        const LogSink &log);
  /// Tells all of the values that a checkpoint takes, as tell() does.
  Status tellOfSnapshot(const LogSink &log);
  bool empty() const { return all.empty(); }

  StepCounts counts{};

private:
  template <typename Call, typename Name>
  Status tellAll(Call call, Name name, const LogSink &log);
  std::vector<Watched> all;
  bool hasTold = false;
  std::mutex lock;            // Of `spare`.
  std::vector<Watched> spare; // Memory for the next step's takeTold().
};

} // namespace smp

#endif // SMP_EXEC_OBSERVERS_H
