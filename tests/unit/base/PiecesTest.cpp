// SPDX-License-Identifier: Apache-2.0
// Files in pieces that several threads work on.
#include "smp/base/Pieces.h"
#include "TemporaryFolder.h"
#include "smp/base/AtomicFile.h"
#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <pthread.h>

using namespace smp;

namespace {

TEST(Pieces, EachIsWorkedOnOnce) {
  for (size_t count : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> times(count);
    ASSERT_TRUE(forEachPiece(count, [&](size_t number, PieceRoom room) {
                  EXPECT_EQ(room.size(), kPieceBytes);
                  EXPECT_EQ(uintptr_t(room.data()) % 4096, 0u);
                  ++times[number];
                  return Status();
                }).ok());
    for (const auto &each : times)
      EXPECT_EQ(each, 1);
  }
}

TEST(Pieces, SeveralAreUnderWayAtATime) {
  for (const size_t count : {kPiecesAtATime, kListsAtATime}) {
    std::atomic<int> here{0};
    const auto meet = [&](size_t, PieceRoom) {
      ++here; // Each waits until the others have come.
      while (here < int(count))
        sched_yield();
      return Status();
    };
    EXPECT_TRUE(forEachPiece(count, meet, count).ok());
  }
}

TEST(Pieces, OneAloneIsTheCallersWork) {
  const pthread_t caller = pthread_self();
  EXPECT_TRUE(forEachPiece(1, [&](size_t, PieceRoom) {
                EXPECT_TRUE(pthread_equal(caller, pthread_self()));
                return Status();
              }).ok());
}

TEST(Pieces, NoneIsBegunAfterAnError) {
  std::atomic<int> begun{0};
  const Status status = forEachPiece(1000, [&](size_t number, PieceRoom) {
    ++begun;
    return number < 10 ? Status() : dataLoss("at " + std::to_string(number));
  });
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_LE(begun, int(10 + kPiecesAtATime)); // Each ends with its own.
}

TEST(Pieces, WhatTheOtherThreadComputesCounts) {
  const double before = processorSeconds();
  std::atomic<int> here{0};
  std::mutex lock;
  double sum = 0;
  ASSERT_TRUE(forEachPiece(2, [&](size_t, PieceRoom) {
                ++here;
                while (here < 2)
                  sched_yield();
                const double start = processorSeconds();
                while (processorSeconds() - start < 0.01) {
                }
                std::lock_guard<std::mutex> hold(lock);
                sum += 0.01;
                return Status();
              }).ok());
  EXPECT_GE(processorSeconds() - before, sum);
}

TEST(Pieces, FilesOfAnySizeAreWritten) {
  const TemporaryFolder folder;
  for (FileSystem *files : {&FileSystem::disk(), &FileSystem::uncachedDisk()})
    for (uint64_t size :
         {uint64_t(0), uint64_t(1), uint64_t(70000), kPieceBytes - 1,
          kPieceBytes, 3 * kPieceBytes, 5 * kPieceBytes + 4097}) {
      std::string text(size, '\0');
      for (size_t i = 0; i < size; ++i)
        text[i] = char(i * 7 + i / 4093);
      auto file = AtomicFile::create(folder.file("a"), OutputPath::kPeerSeconds,
                                     *files);
      ASSERT_TRUE(file.ok());
      const Status status =
          file->writePieces(size, [&](uint64_t at, std::span<std::byte> room) {
            const auto part = std::as_bytes(std::span(text)).subspan(at);
            if (at / kPieceBytes % 2) // From where it lies.
              return StatusOr(part.first(room.size()));
            room = room.first(std::min<size_t>(room.size(), 100 << 10));
            std::ranges::copy(part.first(room.size()), room.begin());
            return StatusOr(std::span<const std::byte>(room));
          });
      ASSERT_TRUE(status.ok() && file->commit().ok());
      EXPECT_TRUE(folder.read("a") == text) << size;
    }
}

/// Parts that are other ones when they are asked for again.
class Changing {
public:
  StatusOr<std::span<const std::byte>> fill(uint64_t at,
                                            std::span<std::byte> room) {
    const std::lock_guard<std::mutex> hold(lock);
    std::ranges::fill(room, std::byte(times[at]++ == 0 ? 'e' : 'l'));
    return std::span<const std::byte>(room);
  }
  /// It changed while it was written for the first time.
  bool confirm(uint64_t at) {
    const std::lock_guard<std::mutex> hold(lock);
    return times[at] == 2;
  }
  Status writeTo(AtomicFile &file, uint64_t size) {
    return file.writePieces(
        size, [&](uint64_t at, auto room) { return fill(at, room); },
        [&](uint64_t at) { return confirm(at); });
  }

private:
  std::mutex lock;
  std::map<uint64_t, int> times;
};

TEST(Pieces, WhatChangedWhileItWasWrittenIsWrittenAgain) {
  const TemporaryFolder folder;
  auto file = AtomicFile::create(folder.file("a"));
  ASSERT_TRUE(file.ok());
  constexpr uint64_t kSize = 3 * kPieceBytes + 10;
  const Status status = Changing().writeTo(*file, kSize);
  ASSERT_TRUE(status.ok() && file->commit().ok()) << status.message();
  EXPECT_TRUE(folder.read("a") == std::string(kSize, 'l'));
}

TEST(Pieces, WhatTakesBytesOnceGetsNoneAgain) {
  auto file = AtomicFile::create("/dev/null");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(Changing().writeTo(*file, 10).message(),
            "'/dev/null' takes bytes once, and they changed while it took "
            "them; write to a regular file");
}

TEST(Pieces, AFileThatCannotBeFilledIsNotThere) {
  const TemporaryFolder folder;
  {
    auto file = AtomicFile::create(folder.file("a"));
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->writePieces(4 * kPieceBytes,
                                [](uint64_t at, std::span<std::byte> room)
                                    -> StatusOr<std::span<const std::byte>> {
                                  if (at == 0)
                                    return dataLoss("no");
                                  return std::span<const std::byte>(room);
                                })
                  .message(),
              "no");
  }
  EXPECT_TRUE(folder.names().empty());
}

} // namespace
