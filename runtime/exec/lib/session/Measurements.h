// SPDX-License-Identifier: Apache-2.0
// What the stages of a Session took.

#ifndef SMP_EXEC_MEASUREMENTS_H
#define SMP_EXEC_MEASUREMENTS_H

#include "../play/EntryState.h"
#include "smp/exec/SessionTypes.h"

namespace smp {

class Measurements {
public:
  /// Borrows the program.
  explicit Measurements(const Program &program) : program(program) {}

  /// Borrows a stage of an entry on this rank.
  void add(StageRun &run, const EntryState &entry) {
    stages.push_back({&run, &entry});
  }
  /// After a step of the entry. Allocates nothing.
  void measure(const EntryState &entry);
  /// Every stage's runs and kernels of that step.
  std::span<const ProfileSpan> profile(const EntryState &entry);
  /// Of all steps since load, in the order in which stages were added.
  std::vector<StageTime> times() const;

private:
  struct MeasuredStage {
    StageRun *run;
    const EntryState *entry;
    double seconds = 0;
    uint64_t runs = 0;
  };

  const Program &program;
  std::vector<MeasuredStage> stages;
  std::vector<ProfileSpan> spans;
};

} // namespace smp

#endif // SMP_EXEC_MEASUREMENTS_H
