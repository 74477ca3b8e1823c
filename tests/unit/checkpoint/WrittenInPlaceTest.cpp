// SPDX-License-Identifier: Apache-2.0
// What a save does to files beyond what it must: copies, and reading what it
// deletes.
#include "CountingFiles.h"
#include "DataFiles.h"
#include "LayeredTraining.h"
#include "MemoryDisk.h"
#include "smp/base/AtomicFile.h"
#include <mutex>

using namespace smp;
using namespace smp::test;

namespace {

struct Write {
  const std::byte *from;
  uint64_t offset;
  size_t size;
};

/// Notes where what is written comes from, and which files of tensors are read
/// as a whole.
class WatchedFiles : public CountingFiles {
public:
  WatchedFiles() : CountingFiles(FileSystem::uncachedDisk()) {}

  /// By the name that the file will have, since this was asked last.
  std::map<std::string, std::vector<Write>> writes() {
    const std::lock_guard<std::mutex> hold(lock);
    return std::exchange(noted, {});
  }
  int readTensors() const { return reads; }

  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    std::unique_ptr<WritableFile> made;
    const int error = CountingFiles::make(path, old, made);
    if (!error)
      file = std::make_unique<File>(
          *this,
          std::string(targetOfTemporary(path.substr(path.rfind('/') + 1))),
          std::move(made));
    return error;
  }
  StatusOr<FileBytes> read(const std::string &path) override {
    reads += path.ends_with(".safetensors");
    return CountingFiles::read(path);
  }

private:
  class File : public WritableFile {
  public:
    File(WatchedFiles &files, std::string name,
         std::unique_ptr<WritableFile> inner)
        : files(files), name(std::move(name)), inner(std::move(inner)) {}
    void reserve(uint64_t bytes) override { inner->reserve(bytes); }
    int write(uint64_t offset, std::span<const std::byte> bytes) override {
      {
        const std::lock_guard<std::mutex> hold(files.lock);
        files.noted[name].push_back({bytes.data(), offset, bytes.size()});
      }
      return inner->write(offset, bytes);
    }
    int sync() override { return inner->sync(); }

  private:
    WatchedFiles &files;
    const std::string name;
    const std::unique_ptr<WritableFile> inner;
  };

  std::mutex lock;
  std::map<std::string, std::vector<Write>> noted;
  std::atomic<int> reads{0};
};

class WrittenInPlaceTest : public testing::Test {
protected:
  CheckpointManager open(std::optional<int64_t> maxToKeep = 1) {
    CheckpointManagerOptions options;
    options.directory = folder.path();
    options.maxToKeep = maxToKeep;
    return CheckpointsOver::open(files, Checkpoint(training), options);
  }
  /// Two saves, of which the second may wait: each has memory of its own.
  void saveTwo(CheckpointManager &manager) {
    ASSERT_TRUE(training.train().ok());
    const CheckpointSave one = manager.saveAsync();
    ASSERT_TRUE(training.train().ok());
    const CheckpointSave two = manager.saveAsync();
    const auto first = one.wait(), second = two.wait();
    ASSERT_TRUE(first.ok()) << first.status().message();
    ASSERT_TRUE(second.ok()) << second.status().message();
  }

  TemporaryFolder folder;
  WatchedFiles files;
  LayeredTraining training{1, 600}; // Variables of 2.4 MB.
};

/// Where a file would begin in memory if what is written from one tensor lay
/// there.
using Places = std::set<const std::byte *>;

/// Of files of tensors, of which little was copied: what was is of no place
/// that several pieces have.
Places expectInPlace(WatchedFiles &files) {
  Places places;
  for (const auto &[name, writes] : files.writes()) {
    if (!name.ends_with(".safetensors"))
      continue;
    std::map<const std::byte *, uint64_t> bytesFrom;
    uint64_t copied = 0;
    for (const Write &write : writes)
      bytesFrom[write.from - write.offset] += write.size;
    for (const auto &[place, bytes] : bytesFrom)
      if (bytes > kPieceBytes)
        places.insert(place);
      else
        copied += bytes;
    EXPECT_LE(copied, kLayers * kLeastDirect) << name; // Parts of pieces.
  }
  return places;
}

TEST_F(WrittenInPlaceTest, VariablesAreWrittenFromWhereTheyAre) {
  CheckpointManager manager = open();
  saveTwo(manager); // Shows where the files have what.
  Places places;
  for (int i = 0; i < 6; ++i) { // From 'ckpt-3' to 'ckpt-8'.
    files.writes();
    ASSERT_TRUE(training.train().ok());
    ASSERT_TRUE(manager.saveAsync().wait().ok());
    if (i < 2) // It is found to be in time for the update.
      continue;
    const Places now = expectInPlace(files);
    EXPECT_EQ(now.size(), 2 * kLayers); // Parameters, and slots.
    if (places.empty())
      places = now;
    EXPECT_EQ(now, places);
  }
}

/// No update comes before it is done.
TEST_F(WrittenInPlaceTest, ASaveThatIsAwaitedCopiesNothingFromTheFirstOn) {
  CheckpointManager manager = open();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(training.train().ok());
    save(manager);
    EXPECT_EQ(expectInPlace(files).size(), 2 * kLayers) << i;
  }
}

/// 'ckpt-10' may have a longer head than 'ckpt-9' has.
TEST_F(WrittenInPlaceTest, WhatIsPlacedAnewIsWhatWasSaved) {
  CheckpointManager manager = open();
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(training.train().ok());
    ASSERT_TRUE(manager.saveAsync().wait().ok());
    const Values saved = training.values();
    ASSERT_TRUE(restore(manager));
    EXPECT_EQ(training.values(), saved) << i;
  }
}

TEST_F(WrittenInPlaceTest, WhatIsDeletedIsNotRead) {
  {
    CheckpointManager manager = open();
    for (int i = 0; i < 3; ++i)
      save(manager);
    EXPECT_EQ(manager.checkpoints().size(), 1u);
  }
  CheckpointManager manager = open();
  ASSERT_TRUE(restore(manager));
  save(manager); // Its predecessor's is deleted.
  EXPECT_EQ(manager.checkpoints().size(), 1u);
  EXPECT_EQ(files.readTensors(), 0);
}

} // namespace
