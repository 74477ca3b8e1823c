// SPDX-License-Identifier: Apache-2.0
#include "CrashRuns.h"
#include "smp/checkpoint/PruneFolder.h"
#include "smp/serialization/CheckpointReader.h"
#include <cstdlib>

namespace smp::test {

static constexpr size_t kFill = 5000;

static std::string valueOf(uint32_t rank, int save) {
  return std::string(kFill, char('a' + rank)) + std::to_string(save);
}

static int saveOf(const std::string &value) {
  return std::atoi(value.c_str() + kFill);
}

static CheckpointManagerOptions optionsHere(const CrashPlan &plan) {
  CheckpointManagerOptions options;
  options.directory = kFolder;
  options.maxToKeep = plan.maxToKeep;
  options.keepEveryHours = plan.keepEveryHours;
  options.keepBest = plan.keepBest;
  return options;
}

SaveOptions CrashPlan::wanted(int save) const {
  SaveOptions options;
  options.number = number;
  if (metric)
    options.metric = *metric + save;
  return options;
}

std::vector<CrashPlan> crashPlans() {
  // A second before the manager was opened is the last time that one was kept.
  return {{.name = "Hours", .keepEveryHours = 1.0 / 3600, .stays = "ckpt-1"},
          {.name = "Best",
           .keepBest = KeepBest{1},
           .metric = 0.5,
           .stays = "ckpt-1"},
          {.name = "Pinned", .isPinned = true, .stays = "ckpt-1"},
          {.name = "Replaced", .number = 5},
          {.name = "Pruned", .maxToKeep = 3, .isPruned = true}};
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

CrashRun::CrashRun(FileSystem &files, uint32_t rank, Communicator *communicator,
                   const CrashPlan &plan)
    : training(communicator),
      manager(CheckpointsOver::open(
          files,
          Checkpoint{{"model", training},
                     {"optimizer", training},
                     {"own" + std::to_string(rank), value}},
          optionsHere(plan))),
      rank(rank) {}

void CrashRun::trainFor(int number) {
  for (; trained < number; ++trained)
    training.train();
  value = valueOf(rank, number);
}

void CrashRun::goOn() {
  if (restore(manager))
    trained = saveOf(value);
}

Recording recordSaves(uint32_t ranks, int saves, const CrashPlan &plan) {
  MemoryDisk disk(kRoot);
  Recorder recorder(disk, ranks);
  onThreads(ranks, [&](Communicator &mine) {
    const uint32_t rank = mine.rank();
    auto watched = recorder.watch(mine);
    CrashRun run(recorder.filesOf(rank), rank,
                 ranks > 1 ? watched.get() : nullptr, plan);
    for (int save = 1; save <= saves; ++save) {
      run.trainFor(save);
      const Status saved =
          recorder.save(rank, save, run.manager, plan.wanted(save));
      EXPECT_TRUE(saved.ok()) << saved.message();
      if (save == 1 && rank == 0 && plan.isPinned)
        EXPECT_EQ(run.manager.pin("ckpt-1").message(), "");
    }
  });
  if (plan.isPruned) {
    CheckpointManagerOptions options = optionsHere(plan);
    options.maxToKeep = 1;
    const auto pruned =
        pruneFolder(options, /*isDryRun=*/false, recorder.filesOf(0));
    EXPECT_TRUE(pruned.ok()) << pruned.status().message();
    const auto isDeleted = &PlannedDeletion::isDeleted;
    if (pruned.ok())
      EXPECT_EQ(std::ranges::count_if(pruned->checkpoints, isDeleted), 2);
  }
  return recorder.recording();
}

//===----------------------------------------------------------------------===//
// Restoring
//===----------------------------------------------------------------------===//

namespace {

/// New managers restore from disks.
class Restorer {
public:
  Restorer(uint32_t ranks, const CrashPlan &plan)
      : plan(plan), training(nullptr), values(ranks), checkpoint(rootsOf()) {}

  Restored operator()(MemoryDisk &disk) {
    auto manager = CheckpointsOver::open(disk, checkpoint, optionsHere(plan));
    for (const std::string &path : manager.checkpoints())
      if (auto read = CheckpointReader::open(path, disk); !read.ok())
        return {0, "a checkpoint that is listed is not complete: " +
                       read.status().message()};
    const auto restored = manager.restore();
    if (!restored.ok())
      return {0, restored.status().message()};
    if (!*restored)
      return {};
    if (!plan.stays.empty())
      if (auto read = CheckpointReader::open(kFolder + "/" + plan.stays, disk);
          !read.ok())
        return {0, "what stays is not complete: " + read.status().message()};
    const int save = saveOf(values[0]);
    for (uint32_t rank = 0; rank < values.size(); ++rank)
      if (values[rank] != valueOf(rank, save))
        return {0, "rank " + std::to_string(rank) + " has another value"};
    if (training.valuesHere() != valuesAfter(save))
      return {0, "the variables are another save's"};
    return {save};
  }

private:
  std::vector<Checkpoint::Named> rootsOf() {
    std::vector<Checkpoint::Named> roots{{"model", training},
                                         {"optimizer", training}};
    for (size_t rank = 0; rank < values.size(); ++rank)
      roots.emplace_back("own" + std::to_string(rank), values[rank]);
    return roots;
  }

  const CrashPlan &plan;
  RankTraining training;
  std::vector<std::string> values; // By rank.
  Checkpoint checkpoint;
};

} // namespace

CrashReport crash(Recording recording, uint32_t ranks, CrashOptions options,
                  const CrashPlan &plan) {
  Restorer restorer(ranks, plan);
  CrashModel model(
      std::move(recording), kRoot,
      [&](MemoryDisk &disk) { return restorer(disk); }, options);
  return model.run();
}

} // namespace smp::test
