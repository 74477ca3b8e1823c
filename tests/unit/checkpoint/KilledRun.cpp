// SPDX-License-Identifier: Apache-2.0
#include "KilledRun.h"
#include "FailingDisk.h"
#include <iostream>

namespace smp::test {

namespace {

Told *mine; // Of this process.
int sayTo;  // A pipe.

void sayProgress() {
  const char byte = 0;
  (void)!write(sayTo, &byte, 1);
}

void countOperation() {
  ++mine->operations;
  sayProgress();
}

/// One process, from its restore to its end.
class SavingRun {
public:
  SavingRun(Communicator *communicator, const std::string &directory, How how)
      : how(how), training(/*partitions=*/2, kRows, communicator),
        manager(training, optionsOf(directory, how)) {}

  Status run(const LayeredRun &expected) {
    SMP_RETURN_IF_ERROR(manager.restore().status());
    mine->restored = training.steps();
    while (training.steps() < kSteps) {
      SMP_RETURN_IF_ERROR(training.train().status());
      sayProgress();
      SMP_RETURN_IF_ERROR(saveStep());
    }
    for (const auto &[name, bytes] : training.valuesHere())
      EXPECT_TRUE(bytes == expected.values[kSteps].at(name)) << name;
    return Status();
  }

private:
  static CheckpointManagerOptions optionsOf(const std::string &directory,
                                            How how) {
    CheckpointManagerOptions options;
    options.directory = directory;
    options.maxToKeep = 2;
    if (how == How::SaveAsyncAndWait)
      options.whenBusy = WhenBusy::Wait;
    return options;
  }

  Status saveStep() {
    auto answer = [steps = training.steps()](const SaveResult &result) {
      if (result.ok())
        mine->reported = steps;
      else if (result.status().code() != StatusCode::Cancelled)
        ++mine->failed;
      mine->operationsAtAnswer = int(mine->operations);
      ++mine->answered;
    };
    if (!mine->asked++) // What the restore did is no save's.
      mine->operationsAtAnswer = int(mine->operations);
    if (how != How::Save) {
      manager.saveAsync(answer);
      return Status();
    }
    const SaveResult saved = manager.save();
    answer(saved);
    return saved.status();
  }

  const How how;
  LayeredTraining training;
  CheckpointManager manager;
};

} // namespace

Ending runKilled(const SocketOptions &place, const std::string &directory,
                 How how, const LayeredRun &expected, Told &told,
                 int progress) {
  mine = &told;
  sayTo = progress;
  std::unique_ptr<Communicator> communicator;
  if (place.size > 1) {
    auto connected = connectSockets(place);
    if (!connected.ok())
      return kBroken;
    communicator = connected.take();
  }
  onOperation = countOperation;
  Status status;
  {
    SavingRun run(communicator.get(), directory, how);
    status = run.run(expected);
  } // Which waits for saves.
  const bool isGood = status.ok() && mine->failed == 0;
  if (testing::Test::HasFailure() || (!isGood && place.size == 1)) {
    std::cout << status.message() << std::endl;
    return kBroken;
  }
  return isGood ? kDone : kLostOther;
}

} // namespace smp::test
