// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/RestoreReport.h"
#include "smp/base/Lists.h"

namespace smp {

std::string differencesOf(const RestoreReport &report) {
  std::vector<std::string> all;
  if (!report.missing.empty())
    all.push_back("it lacks " + listNames(report.missing));
  if (!report.extra.empty())
    all.push_back("it has " + listNames(report.extra) +
                  ", which the program has not");
  for (const auto *list : {&report.reshaped, &report.retyped})
    for (const RestoreReport::Retyped &each : *list)
      all.push_back("it has '" + each.name + "' as " + toString(each.saved) +
                    ", and the program as " + toString(each.wanted));
  for (const RestoreReport::Refused &each : report.refused)
    all.push_back("value '" + each.name + "': " + each.why);
  return join(all, "; ");
}

static Status checkAll(const RestoreReport &report) {
  if (!report.restored())
    return failedPrecondition(
        "nothing was restored: there was no checkpoint to restore");
  const std::string differences = differencesOf(report);
  if (differences.empty())
    return Status();
  return failedPrecondition("checkpoint '" + report.path +
                            "' does not fit the program: " + differences);
}

Status RestoreReport::assertConsumed() const { return checkAll(*this); }

Status RestoreReport::assertExistingMatched() const {
  RestoreReport existing = *this;
  existing.extra.clear();
  return checkAll(existing);
}

} // namespace smp
