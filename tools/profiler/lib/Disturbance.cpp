// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Disturbance.h"
#include <filesystem>
#include <fstream>

namespace smp {

/// Seconds that threads were ready to run and did not, as Linux counts them.
static double secondsWaited() {
  double nanoseconds = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end;
       !error && task != end; task.increment(error)) {
    std::ifstream file(task->path() / "schedstat");
    double running = 0, waiting = 0;
    if (file >> running >> waiting)
      nanoseconds += waiting;
  }
  return nanoseconds * 1e-9;
}

Disturbance::Disturbance() : waited(secondsWaited()), start(Clock::now()) {}

double Disturbance::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Disturbance::part() const {
  return (secondsWaited() - waited) / seconds();
}

} // namespace smp
