// SPDX-License-Identifier: Apache-2.0
// Steps go on whatever the disk does, in bounded memory, and what is not
// written is counted and said.
#include "GatedDisk.h"
#include "Recorder.h"
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include <cerrno>
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

class SlowDisk : public testing::Test, protected Watched {
protected:
  void attach(HookOptions options) {
    options.log = [this](LogLevel, std::string_view line) {
      said.emplace_back(line);
    };
    recorder = std::make_shared<Recorder>(everyStep(folder.file("run")),
                                          std::move(options), disk);
    ASSERT_TRUE(recorder->addToCollection("losses", "loss").ok());
    const Status status = recorder->prepare(session->entries());
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(session->addObserver(recorder, recorder->onError()).ok());
  }

  /// Of those whose index is there.
  std::vector<std::string> stepsWritten() const {
    std::vector<std::string> names;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(folder.file("run")))
      if (entry.path().string().find("/index/") != std::string::npos &&
          entry.is_regular_file())
        names.push_back(entry.path().filename().string().substr(0, 12));
    std::sort(names.begin(), names.end());
    return names;
  }

  /// What one step of "train" takes of the buffers.
  static constexpr uint64_t kStep = 256;

  TemporaryFolder folder;
  GatedDisk disk;
  std::vector<std::string> said;
  std::shared_ptr<Recorder> recorder;
};

TEST_F(SlowDisk, LeavesWholeStepsOutAndSaysSoOnce) {
  attach({.bufferBytes = 4 * kStep});
  disk.shutGate();
  ASSERT_TRUE(step("train", 0).ok());
  ASSERT_TRUE(step("train", 1).ok()); // Gives the one before to the disk.
  disk.awaitSomebody();
  for (int i = 2; i < 100; ++i)
    ASSERT_TRUE(step("train", float(i)).ok());
  const HookReport behind = recorder->report();
  EXPECT_EQ(behind.written, 0u);
  EXPECT_GE(behind.leftOut, 90u);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("is left out of '" + folder.file("run") +
                         "': the disk is slower than the steps, and the "
                         "hook's buffers of 1024 bytes are full"),
            std::string::npos)
      << said[0];
  disk.openGate();
  ASSERT_TRUE(recorder->close().ok());
  const HookReport after = recorder->report();
  EXPECT_EQ(after.leftOut, behind.leftOut);
  EXPECT_EQ(after.written + after.leftOut, 100u);
  EXPECT_EQ(stepsWritten().size(), after.written);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[1], "'" + folder.file("run") + "' has " +
                         std::to_string(after.written) + " steps in " +
                         std::to_string(after.bytes) + " bytes; " +
                         std::to_string(after.leftOut) + " were left out");
  EXPECT_EQ(recorder->values("loss").size(), 6u); // That fit in 1024 bytes.
}

TEST_F(SlowDisk, GoesOnWithTheNextStepThatFits) {
  attach({.bufferBytes = 4 * kStep});
  disk.shutGate();
  ASSERT_TRUE(step("train", 0).ok());
  ASSERT_TRUE(step("train", 1).ok());
  disk.awaitSomebody();
  while (recorder->report().leftOut == 0)
    ASSERT_TRUE(step("train", 1).ok());
  disk.openGate();
  const uint64_t leftOut = recorder->report().leftOut;
  for (bool fits = false; !fits;) { // The disk is as fast as it is.
    const uint64_t before = recorder->report().leftOut;
    ASSERT_TRUE(step("train", 1).ok());
    fits = recorder->report().leftOut == before;
  }
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_GE(recorder->report().leftOut, leftOut);
  EXPECT_EQ(stepsWritten().size(), recorder->report().written);
}

TEST_F(SlowDisk, BlocksStepsThatAreToldToWait) {
  attach({.bufferBytes = 4 * kStep, .whenBehind = WhenBehind::Wait});
  disk.shutGate();
  ASSERT_TRUE(step("train", 0).ok());
  ASSERT_TRUE(step("train", 1).ok());
  disk.awaitSomebody();
  std::atomic<int> made = 2;
  std::thread steps([&] {
    for (int i = 2; i < 40; ++i, ++made)
      EXPECT_TRUE(step("train", float(i)).ok());
  });
  while (made < 5) // There is room for these,
    std::this_thread::yield();
  EXPECT_LT(made, 10); // and for not many more.
  disk.openGate();
  steps.join();
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_EQ(recorder->report().written, 40u);
  EXPECT_EQ(recorder->report().leftOut, 0u);
  EXPECT_EQ(stepsWritten().size(), 40u);
}

TEST_F(SlowDisk, AStepLargerThanTheBuffersIsSaidToBe) {
  attach({.bufferBytes = 64, .whenBehind = WhenBehind::Wait});
  ASSERT_TRUE(step("train", 0).ok());
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("step 0 is left out of '" + folder.file("run") +
                         "': its values have "),
            std::string::npos)
      << said[0];
  EXPECT_NE(said[0].find(" bytes, and the hook's buffers 64; raise "
                         "HookOptions::bufferBytes"),
            std::string::npos);
}

TEST_F(SlowDisk, ThatFailsEndsWhatIsWrittenAndNotTheRun) {
  attach({});
  ASSERT_TRUE(step("train", 0).ok());
  ASSERT_TRUE(step("train", 1).ok());
  disk.shutGate();
  disk.failWith(ENOSPC);
  ASSERT_TRUE(step("train", 2).ok());
  disk.awaitSomebody(); // Or step 0 is not written yet, which fails then.
  disk.openGate();
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(step("train", 3).ok());
  const Status closed = recorder->close();
  EXPECT_NE(closed.message().find("the hook writes nothing from now on: "),
            std::string::npos)
      << closed.message();
  EXPECT_NE(closed.message().find("No space left on device"),
            std::string::npos);
  const HookReport report = recorder->report();
  EXPECT_EQ(stepsWritten().size(), report.written);
  EXPECT_GE(report.lost, 1u);
  EXPECT_LE(warnings.size(), 1u); // None where all steps were made before.
  EXPECT_EQ(said.size(), 1u);     // What close() has to say.
}

} // namespace
