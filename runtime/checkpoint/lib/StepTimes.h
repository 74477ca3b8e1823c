// SPDX-License-Identifier: Apache-2.0
// How much longer steps take while a save is under way.

#ifndef SMP_CHECKPOINT_STEPTIMES_H
#define SMP_CHECKPOINT_STEPTIMES_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace smp {

/// Takes what goes on between two calls of a manager for a step. A step differs
/// from the next by more than a save takes from it, so saves count by medians:
/// what steps beside one took beyond the median of those beside none is what
/// that save has taken, and of the last saves the median counts.
class StepTimes {
public:
  using Time = std::chrono::steady_clock::time_point;

  void callBegins(Time now);
  /// `isSaving`: whether a save is under way, or waits.
  void callEnds(Time now, bool isSaving);
  /// What is done before the next call is no step.
  void forgetCall();
  void saveBegins() { ++saves; }

  /// Seconds; 0 while too little is known.
  double lostToASave() const;

private:
  void endSaves();

  struct Call {
    Time end;
    bool isSaving;
  };
  std::optional<Call> last;
  std::deque<double> alone, lost; ///< Steps beside no save; by save.
  /// Of the saves under way: how many, and of steps beside them.
  uint64_t saves = 0, stepsBeside = 0;
  double secondsBeside = 0;
};

} // namespace smp

#endif // SMP_CHECKPOINT_STEPTIMES_H
