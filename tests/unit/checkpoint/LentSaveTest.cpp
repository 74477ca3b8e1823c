// SPDX-License-Identifier: Apache-2.0
// Saves that are written from variables, of a disk that is slower than steps.
#include "CountingFiles.h"
#include "LayeredTraining.h"
#include "MemoryDisk.h"
#include "smp/base/Pieces.h"
#include <atomic>
#include <semaphore>

using namespace smp;
using namespace smp::test;

namespace {

/// A disk that stands still at a write of a piece, until it is let go.
class StandingFiles : public CountingFiles {
public:
  StandingFiles() : CountingFiles(FileSystem::uncachedDisk()) {}

  /// From now on.
  void stop() {
    hasReached = false;
    isStopped = true;
  }
  /// Until a write has come to a stop.
  void awaitStop() { reached.acquire(); }
  void letGo() {
    isStopped = false;
    isStopped.notify_all();
  }
  /// Of large parts.
  int writes() const { return count; }

  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    const int error = CountingFiles::make(path, old, file);
    if (!error)
      file = std::make_unique<File>(*this, std::move(file));
    return error;
  }

private:
  class File : public WritableFile {
  public:
    File(StandingFiles &files, std::unique_ptr<WritableFile> inner)
        : files(files), inner(std::move(inner)) {}
    void reserve(uint64_t bytes) override { inner->reserve(bytes); }
    int write(uint64_t offset, std::span<const std::byte> bytes) override {
      if (bytes.size() >= kLeastDirect)
        files.pass();
      return inner->write(offset, bytes);
    }
    int sync() override { return inner->sync(); }

  private:
    StandingFiles &files;
    const std::unique_ptr<WritableFile> inner;
  };

  void pass() {
    ++count;
    if (isStopped && !hasReached.exchange(true))
      reached.release();
    isStopped.wait(true);
  }

  std::atomic<bool> isStopped{false}, hasReached{false};
  std::binary_semaphore reached{0};
  std::atomic<int> count{0};
};

class LentSaveTest : public testing::Test {
protected:
  CheckpointManager open() {
    CheckpointManagerOptions options;
    options.directory = folder.path();
    return CheckpointsOver::open(files, Checkpoint(training), options);
  }
  void train() { ASSERT_TRUE(training.train().ok()); }

  TemporaryFolder folder;
  StandingFiles files;
  LayeredTraining training{1, 600}; // Variables of 2.4 MB.
};

/// It is written anew from the copies that were made before the update.
TEST_F(LentSaveTest, AStepDoesNotWaitForTheDisk) {
  CheckpointManager manager = open();
  for (int i = 0; i < 2; ++i) { // In time: the next ones are lent.
    train();
    ASSERT_TRUE(manager.saveAsync().wait().ok());
  }
  const int before = files.writes();
  train();
  ASSERT_TRUE(manager.saveAsync().wait().ok());
  const int once = files.writes() - before;
  for (int i = 0; i < 2; ++i) {
    const Values saved = training.values();
    const int seen = files.writes();
    files.stop();
    const CheckpointSave save = manager.saveAsync();
    files.awaitStop();
    train();
    EXPECT_FALSE(save.done());
    EXPECT_NE(training.values(), saved);
    files.letGo();
    const SaveResult path = save.wait();
    ASSERT_TRUE(path.ok()) << path.status().message();
    EXPECT_GT(files.writes() - seen, once) << i;
    ASSERT_TRUE(restore(manager));
    EXPECT_EQ(training.values(), saved);
    for (int j = 0; j < 17; ++j) { // Little by little all is lent again.
      train();
      ASSERT_TRUE(manager.saveAsync().wait().ok());
    }
  }
}

} // namespace
