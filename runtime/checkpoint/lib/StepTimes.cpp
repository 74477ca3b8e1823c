// SPDX-License-Identifier: Apache-2.0
#include "StepTimes.h"
#include <algorithm>
#include <vector>

namespace smp {

/// How many steps and saves are remembered, and how many tell something.
static constexpr size_t kSteps = 32, kLeastSteps = 5, kSaves = 9,
                        kLeastSaves = 3;

static void remember(std::deque<double> &last, double number, size_t most) {
  last.push_back(number);
  if (last.size() > most)
    last.pop_front();
}

static double median(const std::deque<double> &numbers) {
  std::vector<double> sorted(numbers.begin(), numbers.end());
  const auto middle = sorted.begin() + ptrdiff_t(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

void StepTimes::callBegins(Time now) {
  if (!last)
    return;
  const double seconds = std::chrono::duration<double>(now - last->end).count();
  if (last->isSaving) {
    secondsBeside += seconds;
    ++stepsBeside;
    return;
  }
  endSaves();
  remember(alone, seconds, kSteps);
}

void StepTimes::endSaves() {
  if (saves > 0 && alone.size() >= kLeastSteps)
    remember(lost,
             (secondsBeside - double(stepsBeside) * median(alone)) /
                 double(saves),
             kSaves);
  saves = stepsBeside = 0;
  secondsBeside = 0;
}

void StepTimes::callEnds(Time now, bool isSaving) { last = {now, isSaving}; }

void StepTimes::forgetCall() {
  last.reset();
  saves = stepsBeside = 0;
  secondsBeside = 0;
}

double StepTimes::lostToASave() const {
  return lost.size() < kLeastSaves ? 0 : std::max(median(lost), 0.0);
}

} // namespace smp
