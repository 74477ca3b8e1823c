// SPDX-License-Identifier: Apache-2.0
// The verifier against a search through every interleaving of tiny pipelines.
#include "TrainingPipelines.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace smp;

namespace {
/// The rules of Schedule.h said once more, slowly: state is how far each
/// partition is; everything else is counted from the prefixes.
class Oracle {
public:
  Oracle(const PipelineShape &pipeline, const Schedule &schedule)
      : pipeline(pipeline), schedule(schedule) {}

  bool mayRun() {
    return eachActionOnce() &&
           explore(std::vector<size_t>(schedule.actions.size()));
  }

private:
  using State = std::vector<size_t>;

  size_t homeOf(const Action &a) const {
    uint32_t stage = a.index;
    if (a.kind == ActionKind::Send)
      stage = pipeline.channels[a.index].from;
    if (a.kind == ActionKind::Receive)
      stage = pipeline.channels[a.index].to;
    return pipeline.stages[stage].partition;
  }

  bool isUpdate(uint32_t stage) const {
    return pipeline.stages[stage].phase == Phase::Update;
  }

  bool eachActionOnce() const {
    size_t total = 0;
    auto isOnce = [&](const Action &a) {
      ++total;
      return count(homeOf(a), a) == 1;
    };
    for (uint32_t m = 0; m < std::max(schedule.microbatches, 1u); ++m) {
      for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
        if (timesOf(s) > m && !isOnce(run(s, m)))
          return false;
      for (uint32_t c = 0; c < pipeline.channels.size(); ++c)
        if (timesOf(pipeline.channels[c].from) > m &&
            (!isOnce(send(c, m)) || !isOnce(receive(c, m))))
          return false;
    }
    size_t listed = 0;
    for (const std::vector<Action> &actions : schedule.actions)
      listed += actions.size();
    return listed == total;
  }

  uint32_t timesOf(uint32_t stage) const {
    return isUpdate(stage) ? 1 : schedule.microbatches;
  }

  size_t count(size_t partition, const Action &action) const {
    const std::vector<Action> &list = schedule.actions[partition];
    return std::count(list.begin(), list.end(), action);
  }

  /// The actions of a kind and index that are done, in order, as microbatches.
  std::vector<uint32_t> done(const State &state, ActionKind kind,
                             uint32_t index) const {
    std::vector<uint32_t> microbatches;
    for (size_t p = 0; p < state.size(); ++p)
      for (size_t i = 0; i < state[p]; ++i)
        if (const Action &a = schedule.actions[p][i];
            a.kind == kind && a.index == index)
          microbatches.push_back(a.microbatch);
    return microbatches;
  }

  static bool has(const std::vector<uint32_t> &list, uint32_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  bool isLegal(const State &state, const Action &a) const {
    if (a.kind == ActionKind::Send)
      return has(done(state, ActionKind::Run, pipeline.channels[a.index].from),
                 a.microbatch);
    if (a.kind != ActionKind::Run)
      return true;
    for (uint32_t c : pipeline.stages[a.index].receives)
      if (!has(done(state, ActionKind::Receive, c), a.microbatch))
        return false;
    return isUpdate(a.index) ? isOver(state, homeOf(a)) : isNext(state, a);
  }

  /// All runs of the partition's stages that are not updates are done.
  bool isOver(const State &state, size_t partition) const {
    for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
      if (pipeline.stages[s].partition == partition && !isUpdate(s) &&
          done(state, ActionKind::Run, s).size() != schedule.microbatches)
        return false;
    return true;
  }

  /// In training, a stage runs microbatch after microbatch.
  bool isNext(const State &state, const Action &a) const {
    bool isTraining = false;
    for (const PipelineShape::Stage &stage : pipeline.stages)
      isTraining |= stage.phase != Phase::Forward;
    return !isTraining ||
           done(state, ActionKind::Run, a.index).size() == a.microbatch;
  }

  bool isEnabled(const State &state, const Action &a) const {
    if (a.kind == ActionKind::Run) {
      size_t runs = done(state, ActionKind::Run, a.index).size();
      for (uint32_t c : pipeline.stages[a.index].sends) {
        uint32_t reader = pipeline.channels[c].to;
        size_t given = done(state, ActionKind::Run, reader).size();
        if (runs - given >= pipeline.channels[c].depth)
          return false;
      }
    }
    if (a.kind == ActionKind::Receive)
      return done(state, ActionKind::Send, a.index).size() >
             done(state, ActionKind::Receive, a.index).size();
    return true;
  }

  /// The next tensor of the channel must be the one that is asked for.
  bool isMatched(const State &state, const Action &a) const {
    if (a.kind != ActionKind::Receive)
      return true;
    size_t next = done(state, ActionKind::Receive, a.index).size();
    return done(state, ActionKind::Send, a.index)[next] == a.microbatch;
  }

  bool explore(State state) {
    if (!visited.insert(state).second)
      return true;
    bool finished = true, moved = false;
    for (size_t p = 0; p < state.size(); ++p) {
      if (state[p] == schedule.actions[p].size())
        continue;
      finished = false;
      const Action &action = schedule.actions[p][state[p]];
      if (!isLegal(state, action))
        return false;
      if (!isEnabled(state, action))
        continue;
      if (!isMatched(state, action))
        return false;
      moved = true;
      State next = state;
      ++next[p];
      if (!explore(next))
        return false;
    }
    return finished || moved;
  }

  const PipelineShape &pipeline;
  const Schedule &schedule;
  std::set<State> visited;
};

class Generator {
public:
  explicit Generator(uint32_t seed) : random(seed) {}

  PipelineShape pipeline(bool mayTrain) {
    PipelineShape result;
    result.partitions = below(3) + 1;
    uint32_t stages = below(4) + 1;
    const bool isTraining = mayTrain && below(2);
    for (uint32_t s = 0; s < stages; ++s)
      result.stages.push_back({below(result.partitions),
                               {},
                               {},
                               isTraining ? Phase(below(4)) : Phase::Forward});
    for (uint32_t from = 0; from < stages; ++from)
      for (uint32_t to = from + 1; to < stages; ++to)
        if (result.stages[from].isPerMicrobatch() ==
                result.stages[to].isPerMicrobatch() &&
            below(2))
          connect(result, from, to, below(2) + 1);
    return result;
  }

  Schedule schedule(const PipelineShape &pipeline) {
    ScheduleOptions options;
    options.microbatches = below(3) + 1;
    Schedule result;
    switch (below(4)) {
    case 0:
      result = zeroBubbleSchedule(pipeline, options);
      break;
    case 1:
      result = interleavedSchedule(pipeline, options);
      break;
    case 2:
      result = simpleSchedule(pipeline, options);
      break;
    default:
      result = forwardOnly(pipeline, options.microbatches);
    }
    for (uint32_t edits = below(5); edits > 0; --edits)
      edit(result);
    return result;
  }

private:
  uint32_t below(uint32_t bound) { return uint32_t(random() % bound); }

  void edit(Schedule &schedule) {
    std::vector<Action> &list =
        schedule.actions[below(uint32_t(schedule.actions.size()))];
    if (list.size() < 2)
      return;
    uint32_t at = below(uint32_t(list.size() - 1));
    switch (below(12)) {
    case 0:
      list.erase(list.begin() + at);
      break;
    case 1:
      list.push_back(list[at]);
      break;
    case 2:
      list[at].microbatch = below(schedule.microbatches);
      break;
    case 3: {
      Action action = list[at];
      list.erase(list.begin() + at);
      list.insert(list.begin() + below(uint32_t(list.size())), action);
      break;
    }
    default:
      std::swap(list[at], list[at + 1]);
    }
  }

  std::mt19937 random;
};

} // namespace

TEST(ScheduleOracle, VerifierAgreesWithEveryInterleaving) {
  uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  Generator generator(seed);
  int proved = 0, deadlocks = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    PipelineShape pipeline = generator.pipeline(/*mayTrain=*/true);
    Schedule schedule = generator.schedule(pipeline);
    std::optional<std::string> problem = verifySchedule(pipeline, schedule);
    ASSERT_EQ(!problem.has_value(), Oracle(pipeline, schedule).mayRun())
        << "case " << i << ": " << problem.value_or("proved");
    if (!problem)
      ++proved;
    else
      ++(problem->find("deadlock") == 0 ? deadlocks : refused);
  }
  // The cases must reach every verdict, else the comparison says little.
  EXPECT_GT(proved, 400);
  EXPECT_GT(deadlocks, 20);
  EXPECT_GT(refused, 400);
}

TEST(ScheduleOracle, ForwardOnlyIsProvedForEveryPipelineAndDepthOne) {
  uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  Generator generator(seed);
  for (int i = 0; i < 2000; ++i) {
    PipelineShape pipeline = generator.pipeline(/*mayTrain=*/false);
    for (PipelineShape::Channel &channel : pipeline.channels)
      channel.depth = 1;
    for (uint32_t microbatches : {1u, 2u, 7u}) {
      Schedule schedule = forwardOnly(pipeline, microbatches);
      ASSERT_EQ(verifySchedule(pipeline, schedule), std::nullopt);
    }
  }
}

TEST(ScheduleOracle, SimulationPlaysEveryActionInOrder) {
  uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  Generator generator(seed);
  for (int i = 0; i < 1000; ++i) {
    PipelineShape pipeline = generator.pipeline(/*mayTrain=*/true);
    Schedule schedule = generator.schedule(pipeline);
    if (verifySchedule(pipeline, schedule))
      continue;
    Timeline timeline = simulate(
        pipeline, schedule, std::vector<double>(pipeline.stages.size(), 2),
        std::vector<ChannelCost>(pipeline.channels.size(), {1, 1, 1}));
    for (uint32_t p = 0; p < schedule.actions.size(); ++p) {
      ASSERT_EQ(timeline.partitions[p].size(), schedule.actions[p].size());
      double now = 0;
      for (size_t k = 0; k < timeline.partitions[p].size(); ++k) {
        const Timeline::Span &span = timeline.partitions[p][k];
        EXPECT_EQ(span.action, schedule.actions[p][k]);
        EXPECT_GE(span.start, now);
        EXPECT_GE(span.end, span.start);
        now = span.end;
      }
      EXPECT_LE(now, timeline.makespan);
    }
  }
}
