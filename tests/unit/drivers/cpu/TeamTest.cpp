// SPDX-License-Identifier: Apache-2.0
// Two devices on the same cores, one of which computes.
#include "Team.h"
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace smp;

namespace {

/// Of one launch: what its tiles see and do.
struct Launch {
  std::function<void(const smp_kernel_args &, uint32_t)> tile;
  HostKernel kernel;

  Launch(uint32_t tiles, decltype(tile) does) : tile(std::move(does)) {
    kernel.tile = [](const smp_kernel_args *args, uint32_t x, uint32_t,
                     uint32_t) {
      static_cast<const Launch *>(args->buffers[0])->tile(*args, x);
    };
    kernel.grid[0] = kernel.tiles = tiles;
    kernel.buffers = {this};
  }
};

class TwoTeams : public testing::Test {
protected:
  std::unique_ptr<Team> make(const std::string &name) {
    return Team::create(name, allowedCores().cores, {}).take();
  }

  /// Runs `body` while the workers compute a launch of the first.
  template <typename Body>
  void whileTheFirstComputes(Body body) {
    std::atomic<bool> started{false}, ends{false};
    Launch stands(2, [&](const smp_kernel_args &, uint32_t) {
      started = true;
      while (!ends)
        std::this_thread::yield();
    });
    std::thread thread([&] { EXPECT_FALSE(first->run(stands.kernel)); });
    while (!started)
      std::this_thread::yield();
    body();
    ends = true;
    thread.join();
  }

  std::unique_ptr<Team> first = make("cpu:0"), second = make("cpu:1");
  MemoryMeter meter;
};

TEST_F(TwoTeams, EachPieceOfALaunchAloneIsProgress) {
  const auto tiles = uint32_t(4 * allowedCores().cores.size());
  std::set<uint64_t> seen;
  Launch counts(tiles, [&](const smp_kernel_args &, uint32_t) {
    seen.insert(second->progress());
  });
  whileTheFirstComputes([&] { EXPECT_FALSE(second->run(counts.kernel)); });
  EXPECT_EQ(seen.size(), tiles);
}

TEST_F(TwoTeams, ScratchMemoryIsMadeWithoutWaiting) {
  constexpr size_t kBytes = size_t(1) << 20;
  std::atomic<int> ran{0};
  Launch fills(64, [&](const smp_kernel_args &args, uint32_t x) {
    std::memset(args.scratch, int(x), kBytes);
    ++ran;
  });
  whileTheFirstComputes([&] {
    EXPECT_TRUE(second->reserveScratch(kBytes, meter).ok());
    EXPECT_FALSE(second->run(fills.kernel));
  });
  EXPECT_FALSE(second->run(fills.kernel)); // With the workers now.
  EXPECT_EQ(ran, 128);
  EXPECT_EQ(meter.current(), kBytes * allowedCores().cores.size());
}

} // namespace
