// SPDX-License-Identifier: Apache-2.0
// A disk that fails at any operation, in the folder of the run or
// TensorBoard's, and stays so: the run goes on, it is said once, what is there
// is whole, and who goes on later has all files.
#include "Recorder.h"
#include "TemporaryFolder.h"
#include "TrainedChain.h"
#include "TroubledFiles.h"
#include "smp/serialization/EventRecord.h"
#include "smp/trial/Trial.h"

using namespace smp;
using namespace smp::test;

namespace {

constexpr uint64_t kSteps = 3;

struct Life {
  Status attached, closed;
  HookReport report;
  std::vector<std::string> said;
};

/// A training, watched.
Life live(const std::string &folder, FileSystem &files) {
  HookConfig config = everything(folder);
  config.exportTensorboard = true;
  Life life;
  HookOptions options;
  options.resume = true;
  options.whenBehind = WhenBehind::Wait;
  options.log = [&](LogLevel level, std::string_view line) {
    if (level == LogLevel::Warning)
      life.said.emplace_back(line);
  };
  TrainedChain training;
  SessionCore &session = training;
  auto recorder = std::make_shared<Recorder>(config, options, files);
  life.attached = recorder->prepare(session.entries());
  if (!life.attached.ok())
    return life;
  EXPECT_TRUE(session.addObserver(recorder, recorder->onError()).ok());
  while (training.steps() < kSteps) {
    const Status status = training.step();
    EXPECT_TRUE(status.ok()) << status.message();
  }
  life.closed = recorder->close();
  life.report = recorder->report();
  return life;
}

void expectWholeRecords(const std::string &name, const std::string &file) {
  std::span<const std::byte> left = std::as_bytes(std::span(file));
  while (!left.empty()) {
    const auto bytes = eventRecordBytes(left);
    ASSERT_TRUE(bytes.ok()) << name << ": " << bytes.status().message();
    ASSERT_LE(*bytes, left.size()) << name;
    left = left.subspan(*bytes);
  }
}

/// The trial, and each file that TensorBoard reads.
void expectReadable(const std::string &folder, const HookReport &report) {
  const auto trial = Trial::open(folder);
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  EXPECT_TRUE(trial->problems().empty());
  EXPECT_GE(trial->steps(Mode::Global, StepSet::All).size(), report.written);
  uint64_t shown = 0;
  for (const auto &[name, file] : timelessFiles(folder))
    if (name.starts_with("tensorboard/") && name.ends_with(".tfevents")) {
      expectWholeRecords(name, file);
      ++shown;
    }
  EXPECT_GE(shown, report.written);
}

TEST(TroubledCapture, OfAnyOperationIsSaidOnceAndWhatIsThereIsWhole) {
  const TemporaryFolder alone;
  const Life whole = live(alone.file("run"), FileSystem::disk());
  ASSERT_TRUE(whole.closed.ok()) << whole.closed.message();
  EXPECT_EQ(whole.report.written, kSteps);
  const auto expected = timelessFiles(alone.file("run"));
  int operations = 0, unreported = 0;
  for (bool wereTroubled = true; wereTroubled && !HasFailure(); ++operations) {
    SCOPED_TRACE("operation " + std::to_string(operations));
    const TemporaryFolder folder;
    TroubledFiles files(FileSystem::disk(), ENOSPC);
    files.begin(operations, Failing::Changes);
    const Life life = live(folder.file("run"), files);
    wereTroubled = files.wereTroubled();
    const Status &failed = life.attached.ok() ? life.closed : life.attached;
    if (failed.ok()) // The claim on the folder may stay: it has no owner.
      EXPECT_EQ(life.report.written, kSteps);
    else
      EXPECT_NE(failed.message().find("No space left on device"),
                std::string::npos)
          << failed.message();
    EXPECT_TRUE(wereTroubled || failed.ok());
    unreported += wereTroubled && failed.ok();
    EXPECT_LE(life.said.size(), whole.said.size() + 1)
        << testing::PrintToString(life.said);
    if (life.attached.ok())
      expectReadable(folder.file("run"), life.report);
    const Life next = live(folder.file("run"), FileSystem::disk());
    EXPECT_TRUE(next.closed.ok()) << next.closed.message();
    EXPECT_TRUE(timelessFiles(folder.file("run")) == expected);
  }
  EXPECT_EQ(unreported, 1);
  // Of each step two files of the run and one of TensorBoard, which are made,
  // written and named.
  EXPECT_GT(operations, int(3 * 3 * kSteps));
}

} // namespace
