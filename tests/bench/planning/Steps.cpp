// SPDX-License-Identifier: Apache-2.0
#include "Steps.h"
#include "Batch.h"
#include "smp/tools/Disturbance.h"
#include <algorithm>

namespace smp::bench {

Status Steps::add(Session &session, uint32_t microbatches, uint32_t count) {
  const EntrySignature entry = session.entries().front();
  const Batch batch(entry, microbatches);
  constexpr uint32_t kPatience = 3;
  const size_t wanted = seconds.size() + count;
  for (uint32_t i = 0; seconds.size() < wanted; ++i) {
    const Disturbance disturbance;
    SMP_RETURN_IF_ERROR(
        session.step(entry.name, batch.inputs(), {microbatches, {}}).status());
    const double taken = disturbance.seconds();
    const bool isAlone = disturbance.isSmall();
    if (i == 0 || (!isAlone && i <= kPatience * count))
      continue;
    seconds.push_back(taken);
    disturbed += !isAlone;
  }
  return Status();
}

double Steps::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

} // namespace smp::bench
