// SPDX-License-Identifier: Apache-2.0
// Which steps a trial has, and which of them are complete.

#ifndef SMP_TRIAL_SAVEDSTEPS_H
#define SMP_TRIAL_SAVEDSTEPS_H

#include "TensorTable.h"
#include <array>
#include <map>
#include <set>

namespace smp {

/// What one worker saved in one step.
struct WorkerFile {
  std::string worker;
  std::string eventsFile;
  std::shared_ptr<const TensorTable> tensors;
};

struct SavedStep {
  Mode mode = Mode::Global;
  uint64_t modeStep = 0;
  std::vector<WorkerFile> files = {}; ///< By the names of the workers.

  const WorkerFile *find(std::string_view worker) const;
};

class SavedSteps {
public:
  using Steps = std::map<uint64_t, SavedStep>;

  /// Of how many workers a complete step has files; at least 1.
  void setWorkers(uint64_t number) { numWorkers = number; }
  /// That no more will come.
  void end() { isOver = true; }
  bool hasEnded() const { return isOver; }

  bool has(uint64_t globalStep, std::string_view worker) const;
  /// Fails with DataLoss when the step is another one of a mode in the file of
  /// another worker, or another step is that one of the mode.
  Status add(uint64_t globalStep, ModeStep step, WorkerFile file);

  const Steps &all() const { return steps; }
  const std::set<std::string, std::less<>> &workers() const { return names; }
  /// Null when it was not saved.
  const SavedStep *find(uint64_t globalStep) const;
  std::optional<uint64_t> globalStep(ModeStep step) const;
  bool has(Mode mode) const;
  bool isComplete(const Steps::value_type &step) const;
  StepState state(ModeStep step) const;

  /// Calls `use(step of the mode, global step, saved)` for each step of the
  /// mode, in their order.
  template <typename Use>
  void forEach(Mode mode, StepSet set, Use use) const {
    for (const auto &step : steps) {
      const auto &[global, saved] = step;
      if (mode != Mode::Global && saved.mode != mode)
        continue;
      if (set == StepSet::All || isComplete(step))
        use(mode == Mode::Global ? global : saved.modeStep, global, saved);
    }
  }

private:
  Steps steps;
  std::array<std::map<uint64_t, uint64_t>, kNumModes> globalSteps;
  std::set<std::string, std::less<>> names;
  uint64_t numWorkers = 1;
  bool isOver = false;
  std::optional<uint64_t> lastComplete;
};

} // namespace smp

#endif // SMP_TRIAL_SAVEDSTEPS_H
