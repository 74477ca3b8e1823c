// SPDX-License-Identifier: Apache-2.0
// The power is cut at every place of saveModel(), and the disk has any part of
// what was not synced: there is a program with its own weights, or none.
#include "CrashRuns.h"
#include "TroubledFiles.h"
#include "smp/checkpoint/SaveModel.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Safetensors.h"

using namespace smp;
using namespace smp::test;

namespace {

using Kind = SaveEvent::Kind;

const std::string kProgram = kFolder + "/program.smp",
                  kWeights = kFolder + "/model.safetensors";

/// The bytes of a file; empty when it is not there.
Bytes bytesOf(MemoryDisk &disk, const std::string &path) {
  const auto file = disk.read(path);
  return file.ok() ? Bytes(file->bytes.begin(), file->bytes.end()) : Bytes();
}

/// After how many steps the model was saved that the disk has. Without a
/// program there is none: 0, or, where only that was taken away, the number of
/// the weights.
Restored openModel(MemoryDisk &disk) {
  const Bytes weights = bytesOf(disk, kWeights);
  uint64_t ignored;
  if (disk.size(kProgram, ignored) != 0)
    return {weights.empty() ? 0 : 1};
  const Bytes bytes = bytesOf(disk, kProgram);
  const auto program = readProgram(bytes, weights);
  if (!program.ok())
    return {0, program.status().message()};
  if (Status checked = program->checkWeights(); !checked.ok())
    return {0, checked.message()};
  const auto tensors = Safetensors::parse(weights);
  for (int steps = 1; steps <= 2; ++steps)
    if (std::ranges::all_of(tensors->tensors(), [&](const auto &tensor) {
          const auto &values = valuesAfter(steps);
          const auto value = values.find(tensor.name);
          return tensor.name.ends_with(".m") || value == values.end() ||
                 std::ranges::equal(tensor.bytes, value->second);
        }))
      return {steps};
  return {0, "the weights are of no save"};
}

/// The model after one step; then the program is taken away, and the model
/// after two steps takes its place.
Recording recordModels(uint32_t ranks) {
  MemoryDisk disk(kRoot);
  Recorder recorder(disk, ranks);
  onThreads(ranks, [&](Communicator &mine) {
    const uint32_t rank = mine.rank();
    auto watched = recorder.watch(mine);
    RankTraining training(ranks > 1 ? watched.get() : nullptr);
    FileSystem &files = recorder.filesOf(rank);
    for (int number = 1; number <= 2; ++number) {
      training.train();
      const Status saved = recorder.save(rank, number, [&] {
        if (number == 2 && rank == 0)
          EXPECT_EQ(files.remove(kProgram), 0);
        return saveModel(training, kFolder, files).status();
      });
      EXPECT_TRUE(saved.ok()) << saved.message();
    }
  });
  return recorder.recording();
}

CrashReport crashModels(Recording recording) {
  CrashOptions options;
  options.hasTemporaries = options.hasEveryCut = true;
  return CrashModel(std::move(recording), kRoot, openModel, options).run();
}

TEST(CrashSaveModel, ThereIsAProgramWithItsWeightsOrNone) {
  for (uint32_t ranks : {1u, 2u}) {
    const CrashReport report = crashModels(recordModels(ranks));
    EXPECT_EQ(report.violation, "") << ranks << " ranks";
    EXPECT_GT(report.cuts, 20u);
    EXPECT_GT(report.disks, 20u);
  }
}

/// It meets the trouble at the operation, and is called once more: with
/// `isKilled` by another process.
bool recordTroubled(int operation, bool isKilled, Recording &recording) {
  MemoryDisk disk(kRoot);
  Recorder recorder(disk, 1);
  TroubledFiles files(recorder.filesOf(0));
  RankTraining training(nullptr);
  bool isThere = false;
  for (int number = 1; number <= 2 && !isThere; ++number) {
    training.train();
    if (number == 1)
      files.begin(operation, isKilled ? Failing::Changes : Failing::One);
    const Status saved = recorder.save(0, number, [&] {
      return saveModel(training, kFolder, files).status();
    });
    files.end();
    uint64_t ignored;
    isThere = disk.size(kProgram, ignored) == 0;
    EXPECT_TRUE(saved.ok() || number == 1) << saved.message();
  }
  recording = recorder.recording();
  return files.wereTroubled();
}

TEST(CrashSaveModel, AfterTroubleAtEveryOperation) {
  for (const bool isKilled : {false, true}) {
    int at = 0;
    for (Recording recording; recordTroubled(at, isKilled, recording) &&
                              !testing::Test::HasFailure();
         ++at)
      EXPECT_EQ(crashModels(std::move(recording)).violation, "")
          << "operation " << at << (isKilled ? ", killed" : "");
    EXPECT_GT(at, 10);
  }
}

TEST(CrashSaveModel, WhatCannotBeSeenIsNotReplaced) {
  MemoryDisk disk(kRoot);
  RankTraining training(nullptr);
  ASSERT_TRUE(saveModel(training, kFolder, disk).ok());
  const Bytes weights = bytesOf(disk, kWeights);
  TroubledFiles files(disk);
  files.begin(0, Failing::All);
  training.train();
  EXPECT_EQ(saveModel(training, kFolder, files).status().message(),
            "cannot look at '" + kProgram + "': Input/output error");
  EXPECT_TRUE(bytesOf(disk, kWeights) == weights);
}

//===----------------------------------------------------------------------===//
// Faults that are planted in what was recorded
//===----------------------------------------------------------------------===//

/// What is found without the events.
template <typename Predicate>
std::string violationWithout(Predicate predicate) {
  Recording recording = recordModels(1);
  EXPECT_GT(std::erase_if(recording, predicate), 0u);
  return crashModels(std::move(recording)).violation;
}

TEST(CrashSaveModel, NoSyncOfTheWeightsIsFound) {
  EXPECT_NE(violationWithout([](const SaveEvent &event) {
              return event.kind == Kind::SyncFile &&
                     event.path.starts_with(kWeights);
            }),
            "");
}

TEST(CrashSaveModel, NoSyncOfTheProgramIsFound) {
  EXPECT_NE(violationWithout([](const SaveEvent &event) {
              return event.kind == Kind::SyncFile &&
                     event.path.starts_with(kProgram);
            }),
            "");
}

TEST(CrashSaveModel, NoSyncOfTheFolderIsFound) {
  EXPECT_NE(violationWithout([](const SaveEvent &event) {
              return event.kind == Kind::SyncFolder && event.path == kFolder;
            }),
            "");
}

/// So that the program is there again, with the weights of the next one.
TEST(CrashSaveModel, NoSyncOfWhatWasTakenAwayIsFound) {
  bool isTakenAway = false;
  const std::string found = violationWithout([&](const SaveEvent &event) {
    if (event.kind == Kind::Remove && event.path == kProgram)
      isTakenAway = true;
    return event.kind == Kind::SyncFolder && event.path == kFolder &&
           std::exchange(isTakenAway, false);
  });
  EXPECT_TRUE(found.starts_with("the program's weights in 'model.safetensors'"))
      << found;
}

} // namespace
