// SPDX-License-Identifier: Apache-2.0
// Which checkpoints are deleted: cases, and random ones against the rules said
// once more, one checkpoint at a time.
#include "DeletionRules.h"
#include <cmath>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace smp;

namespace {

using enum KeepReason;
using Reasons = std::vector<KeepReason>;

/// The newest of which is the latest, an hour after each other.
std::vector<Keepable> hourly(size_t count) {
  std::vector<Keepable> list;
  for (size_t i = 0; i < count; ++i)
    list.push_back({.name = "ckpt-" + std::to_string(i + 1),
                    .time = 3600.0 * double(i + 1)});
  list.back().isLatest = true;
  return list;
}

struct RuleCase {
  const char *name;
  std::vector<Keepable> list;
  KeepOptions options;
  Reasons reasons;
  double lastPreserved = 0; ///< Before and, unless one is kept, after.
};

std::ostream &operator<<(std::ostream &out, const RuleCase &rule) {
  return out << rule.name;
}

class DeletionRuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(DeletionRuleTest, IsWhatItSays) {
  const auto &[name, list, options, reasons, lastPreserved] = GetParam();
  const DeletionPlan plan = planDeletions(list, options, lastPreserved);
  EXPECT_EQ(plan.reasons, reasons);
  double expected = lastPreserved;
  for (size_t i = 0; i < list.size(); ++i)
    if (reasons[i] == Hours)
      expected = list[i].time;
  EXPECT_EQ(plan.lastPreserved, expected);
}

std::vector<RuleCase> cases() {
  auto whose = hourly(5);
  whose[0].whose = Whose::Nobodys;
  whose[1].whose = Whose::Predecessors;
  whose[2].whose = Whose::OtherNames;
  auto older = hourly(4);
  older[3].isLatest = false;
  older[0].isLatest = true;
  auto pinned = hourly(4);
  pinned[0].isPinned = pinned[2].isPinned = true;
  auto rated = hourly(6);
  const double metrics[] = {3, 1, 2, 1, 5};
  for (size_t i = 0; i < 5; ++i)
    rated[i].metric = metrics[i];
  auto others = rated;
  others[1].whose = Whose::Nobodys;
  const auto best = [](int64_t count, KeepBest::Better better) {
    return KeepOptions{.maxToKeep = 1, .best = KeepBest{count, better}};
  };
  using enum KeepBest::Better;
  return {
      {"TheNewerOfTheBest",
       rated,
       best(1, Smaller),
       {None, None, None, Best, None, Latest}},
      {"TheTwoBest",
       rated,
       best(2, Smaller),
       {None, Best, None, Best, None, Latest}},
      {"TheLargest",
       rated,
       best(2, Larger),
       {Best, None, None, None, Best, Latest}},
      {"TheBestAmongTheNewestCountToo",
       rated,
       {.maxToKeep = 2, .best = KeepBest{1, Larger}},
       {None, None, None, None, Newest, Latest}},
      {"TheBestOfOthersIsNotCounted",
       others,
       best(2, Smaller),
       {None, NotListed, Best, Best, None, Latest}},
      {"TheBestTakesNoHours",
       rated,
       {.maxToKeep = 1, .everyHours = 2, .best = KeepBest{1, Smaller}},
       {None, Hours, None, Best, Hours, Latest}},
      {"WithoutMetricsThereIsNoBest",
       hourly(2),
       best(5, Smaller),
       {None, Latest}},
      {"Pinned", pinned, {1}, {Pinned, None, Pinned, Latest}},
      {"ThePinnedCountAmongTheNewest",
       pinned,
       {2},
       {Pinned, None, Newest, Latest}},
      {"ThePinnedTakeNoHours",
       pinned,
       {1, 1.0},
       {Pinned, Hours, Pinned, Latest},
       3600},
      {"None", {}, {1}, {}},
      {"All", hourly(3), {}, {All, All, Latest}},
      {"NewestOne", hourly(3), {1}, {None, None, Latest}},
      {"NewestTwo", hourly(3), {2}, {None, Newest, Latest}},
      {"NewestMoreThanThereAre", hourly(2), {9}, {Newest, Latest}},
      {"TheLatestIsOlder", older, {2}, {Latest, None, Newest, Newest}},
      {"WhatIsOthersIsNotCounted",
       whose,
       {1},
       {NotListed, NotTakenOver, OtherName, None, Latest}},
      {"EveryHour", hourly(4), {1, 1.0}, {Hours, Hours, Hours, Latest}},
      {"EveryTwoHours",
       hourly(6),
       {1, 2.0},
       {None, Hours, None, Hours, None, Latest}},
      {"EveryTwoHoursSinceTheLast",
       hourly(6),
       {1, 2.0},
       {None, None, Hours, None, Hours, Latest},
       3600},
      {"NotInTheMiddleOfAnHour",
       hourly(4),
       {1, 1.5},
       {None, Hours, None, Latest},
       1},
      {"HoursOfTheFuture", hourly(3), {1, 1.0}, {None, None, Latest}, 1e9},
      {"HoursWithoutACount", hourly(2), {{}, 1.0}, {All, Latest}},
  };
}

INSTANTIATE_TEST_SUITE_P(Of, DeletionRuleTest, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Random ones
//===----------------------------------------------------------------------===//

/// Fewer than so many are better, or as good and newer.
bool isAmongBest(const std::vector<Keepable> &list, const Keepable &one,
                 const KeepOptions &options) {
  if (!options.best || !one.metric)
    return false;
  int64_t better = 0;
  bool isNewer = false;
  for (const Keepable &each : list) {
    if (each.name == one.name) {
      isNewer = true;
      continue;
    }
    if (each.whose != Whose::Ours || !each.metric)
      continue;
    const bool wins = options.best->better == KeepBest::Better::Smaller
                          ? *each.metric < *one.metric
                          : *each.metric > *one.metric;
    better += wins || (isNewer && *each.metric == *one.metric);
  }
  return better < options.best->count;
}

/// TensorFlow's loop: the oldest leaves the queue until so many are left.
std::map<std::string, bool> deletedByQueue(const std::vector<Keepable> &list,
                                           const KeepOptions &options,
                                           double &lastPreserved) {
  std::map<std::string, bool> deleted;
  std::deque<Keepable> active;
  for (const Keepable &each : list) {
    deleted[each.name] = false;
    if (each.whose == Whose::Ours)
      active.push_back(each);
  }
  while (options.maxToKeep && int64_t(active.size()) > *options.maxToKeep) {
    const Keepable oldest = active.front();
    active.pop_front();
    if (oldest.isLatest || oldest.isPinned ||
        isAmongBest(list, oldest, options))
      continue;
    if (options.everyHours &&
        oldest.time - *options.everyHours * 3600 >= lastPreserved) {
      lastPreserved = oldest.time;
      continue;
    }
    deleted[oldest.name] = true;
  }
  return deleted;
}

TEST(DeletionRules, AreThoseOfTheQueue) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto draw = [&](uint32_t count) { return random() % count; };
  for (int round = 0; round < 20000 && !testing::Test::HasFailure(); ++round) {
    std::vector<Keepable> list(draw(12));
    for (size_t i = 0; i < list.size(); ++i)
      list[i] = {.name = "ckpt-" + std::to_string(i),
                 .time = double(draw(20)) * 1800, // Clocks may go back.
                 .whose = draw(4) ? Whose::Ours : Whose(draw(4)),
                 .isPinned = draw(5) == 0};
    for (Keepable &each : list)
      if (draw(3))
        each.metric = double(draw(6)) - 2;
    if (!list.empty() && draw(8))
      list[draw(4) ? list.size() - 1 : draw(uint32_t(list.size()))].isLatest =
          true;
    KeepOptions options;
    if (draw(8))
      options.maxToKeep = 1 + draw(5);
    if (draw(2))
      options.everyHours = 0.5 * (1 + draw(4));
    if (draw(2))
      options.best = KeepBest{int64_t(1 + draw(4)), KeepBest::Better(draw(2))};
    const double before = double(draw(6)) * 1800;
    double lastPreserved = before;
    const auto deleted = deletedByQueue(list, options, lastPreserved);
    const DeletionPlan plan = planDeletions(list, options, before);
    ASSERT_EQ(plan.reasons.size(), list.size());
    for (size_t i = 0; i < list.size(); ++i)
      EXPECT_EQ(plan.reasons[i] == None, deleted.at(list[i].name))
          << list[i].name << " of round " << round;
    EXPECT_EQ(plan.lastPreserved, lastPreserved);
  }
}

} // namespace
