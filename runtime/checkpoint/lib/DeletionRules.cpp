// SPDX-License-Identifier: Apache-2.0
#include "DeletionRules.h"
#include <algorithm>
#include <charconv>

namespace smp {

KeepReason reasonOf(Whose whose) {
  switch (whose) {
  case Whose::Ours:
    break;
  case Whose::Predecessors:
    return KeepReason::NotTakenOver;
  case Whose::Nobodys:
    return KeepReason::NotListed;
  case Whose::OtherNames:
    return KeepReason::OtherName;
  }
  return KeepReason::None;
}

/// For each whether it is one of the best of those that may be deleted.
static std::vector<bool> findBest(std::span<const Keepable> oldestFirst,
                                  const std::optional<KeepBest> &best) {
  const size_t count = oldestFirst.size();
  std::vector<bool> isBest(count);
  if (!best)
    return isBest;
  const double sign = best->better == KeepBest::Better::Smaller ? 1 : -1;
  std::vector<std::pair<double, size_t>> ranking; // With how many are newer.
  for (size_t i = 0; i < count; ++i)
    if (const Keepable &each = oldestFirst[i];
        each.whose == Whose::Ours && each.metric)
      ranking.emplace_back(sign * *each.metric, count - 1 - i);
  std::sort(ranking.begin(), ranking.end());
  for (size_t i = 0; i < ranking.size() && int64_t(i) < best->count; ++i)
    isBest[count - 1 - ranking[i].second] = true;
  return isBest;
}

DeletionPlan planDeletions(std::span<const Keepable> oldestFirst,
                           const KeepOptions &options, double lastPreserved) {
  DeletionPlan plan{{}, lastPreserved};
  int64_t newer = std::count_if(
      oldestFirst.begin(), oldestFirst.end(),
      [](const Keepable &each) { return each.whose == Whose::Ours; });
  const std::vector<bool> isBest = findBest(oldestFirst, options.best);
  for (size_t i = 0; i < oldestFirst.size(); ++i) {
    const Keepable &each = oldestFirst[i];
    KeepReason &reason = plan.reasons.emplace_back(reasonOf(each.whose));
    newer -= each.whose == Whose::Ours;
    if (each.isLatest)
      reason = KeepReason::Latest;
    else if (reason != KeepReason::None)
      continue;
    else if (!options.maxToKeep)
      reason = KeepReason::All;
    else if (newer < *options.maxToKeep)
      reason = KeepReason::Newest;
    else if (each.isPinned)
      reason = KeepReason::Pinned;
    else if (isBest[i])
      reason = KeepReason::Best;
    else if (options.everyHours &&
             each.time - *options.everyHours * 3600 >= plan.lastPreserved) {
      reason = KeepReason::Hours;
      plan.lastPreserved = each.time;
    }
  }
  return plan;
}

static std::string numberText(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), number).ptr};
}

std::string toString(KeepReason reason, const KeepOptions &options) {
  const auto count = [](std::optional<int64_t> number) {
    return std::to_string(number.value_or(0));
  };
  switch (reason) {
  case KeepReason::None:
    return "it is older than the newest " + count(options.maxToKeep);
  case KeepReason::OtherName:
    return "it is of another name";
  case KeepReason::NotListed:
    return "the file 'checkpoint' does not list it";
  case KeepReason::NotTakenOver:
    return "another manager wrote it, and this one has not restored";
  case KeepReason::All:
    return "maxToKeep is not set: all are kept";
  case KeepReason::Latest:
    return "it is the latest";
  case KeepReason::Newest:
    return "it is one of the newest " + count(options.maxToKeep);
  case KeepReason::Pinned:
    return "it is pinned";
  case KeepReason::Best:
    return "it is one of the best " + std::to_string(options.best->count);
  case KeepReason::Hours:
    return "one is kept every " + numberText(options.everyHours.value_or(0)) +
           " hours";
  }
  return {};
}

} // namespace smp
