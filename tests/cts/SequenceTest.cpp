// SPDX-License-Identifier: Apache-2.0
// Sequences that a stream is given again: what a driver remembers of them is
// never seen in what they do.
#include "DeviceCts.h"
#include <deque>
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

class SequenceCts : public DeviceCts {
protected:
  static constexpr size_t kTile = 16; // Floats of a launch.

  /// Adds a launch; `views` stay where they are.
  void add(DeviceKernel &launched, std::vector<BufferView> views) {
    memory.push_back(std::move(views));
    calls.push_back({&launched, memory.back(), &info});
  }
  /// Twice plus one, `times` times on the tile.
  void addSteps(DeviceKernel &step, Buffer &buffer, size_t tile, int times) {
    const BufferView place{&buffer, tile * kTile * 4, kTile * 4};
    for (int i = 0; i < times; ++i)
      add(step, {place, place});
  }
  void run() { stream->launchSequence(calls, nullptr); }
  void forget() {
    EXPECT_TRUE(finish().ok()); // What launches are given is valid until then.
    calls.clear();
    memory.clear();
  }

  std::deque<std::vector<BufferView>> memory;
  std::vector<LaunchCall> calls;
};

std::vector<float> tile(float value) { return std::vector<float>(16, value); }

TEST_P(SequenceCts, EveryRunDoesAllLaunchesInOrder) {
  auto one = upload(tile(1)), sum = upload(tile(0)), doubled = upload(tile(0));
  auto plus = kernel("add16", 3), step = kernel("twice_plus_one16", 2);
  for (int i = 0; i < 35; ++i) {
    add(*plus, {{sum.get()}, {one.get()}, {sum.get()}});
    add(*step, {{sum.get()}, {doubled.get()}});
  }
  for (int runs = 1; runs < 6; ++runs) {
    run();
    EXPECT_EQ(download<float>(*sum), tile(35.0f * float(runs)));
    EXPECT_EQ(download<float>(*doubled), tile(70.0f * float(runs) + 1));
  }
}

TEST_P(SequenceCts, WhatBuffersHoldMayChangeInBetween) {
  auto buffer = upload(tile(0)), copied = upload(tile(0));
  auto step = kernel("twice_plus_one16", 2);
  addSteps(*step, *buffer, 0, 5);
  for (int value = 0; value < 5; ++value) {
    const std::vector<float> values = tile(float(value));
    stream->upload({buffer.get()}, values.data(), {64});
    run();
    stream->copy({copied.get()}, {buffer.get()}, {64});
    run();
    EXPECT_EQ(download<float>(*copied), tile(float(32 * value + 31)));
    EXPECT_EQ(download<float>(*buffer), tile(float(1024 * value + 1023)));
  }
}

TEST_P(SequenceCts, OthersOfTheSameKernelsAreOthers) {
  auto buffer = upload(std::vector<float>(3 * kTile, 0));
  auto step = kernel("twice_plus_one16", 2);
  for (int runs = 0; runs < 4; ++runs)
    for (size_t place = 0; place < 3; ++place) {
      forget();
      addSteps(*step, *buffer, place, 4 + int(place));
      run();
    }
  const std::vector<float> values = download<float>(*buffer);
  EXPECT_EQ(values[0], 65535.0f);
  EXPECT_EQ(values[16], 1048575.0f);
  EXPECT_EQ(values[32], 16777215.0f);
}

TEST_P(SequenceCts, ThereMayBeMoreThanAreRemembered) {
  constexpr size_t kPlaces = 300;
  auto buffer = upload(std::vector<float>(kPlaces * kTile, 0));
  auto step = kernel("twice_plus_one16", 2);
  const auto runAt = [&](size_t place) {
    forget();
    addSteps(*step, *buffer, place, 4);
    run();
  };
  for (int runs = 0; runs < 2; ++runs)
    for (size_t place = 0; place < kPlaces; ++place)
      for (int again = 0; again < 2; ++again)
        runAt(place);
  EXPECT_EQ(download<float>(*buffer),
            std::vector<float>(kPlaces * kTile, 65535.0f));
}

TEST_P(SequenceCts, KernelsThatEndAreNotTakenForThoseThatFollow) {
  auto buffer = upload(tile(0)), one = upload(tile(1));
  for (int runs = 0; runs < 12; ++runs) {
    auto made = runs % 2 ? kernel("add16", 3) : kernel("twice_plus_one16", 2);
    for (int again = 0; again < 3; ++again) {
      forget();
      for (int i = 0; i < 4; ++i)
        if (runs % 2)
          add(*made, {{one.get()}, {one.get()}, {buffer.get()}});
        else
          add(*made, {{one.get()}, {buffer.get()}});
      run();
      EXPECT_EQ(download<float>(*buffer), tile(runs % 2 ? 2 : 3)) << runs;
    }
  }
}

TEST_P(SequenceCts, MemoryMayEndAndComeToBeAgain) {
  auto step = kernel("twice_plus_one16", 2);
  for (int runs = 0; runs < 6; ++runs) {
    auto buffer = upload(tile(float(runs)));
    forget();
    addSteps(*step, *buffer, 0, 4);
    run();
    EXPECT_EQ(download<float>(*buffer), tile(float(16 * runs + 15)));
  }
}

TEST_P(SequenceCts, WhatFollowsAFaultInTheMiddleIsSkipped) {
  auto before = upload(tile(0)), after = upload(tile(0));
  auto table = upload(std::vector<float>(10, 7.0f));
  auto index = upload(std::vector<int32_t>{3});
  auto out = upload(std::vector<float>{-1});
  auto step = kernel("twice_plus_one16", 2), gather = kernel("gather10", 3);
  addSteps(*step, *before, 0, 5);
  add(*gather, {{table.get()}, {index.get()}, {out.get()}});
  addSteps(*step, *after, 0, 5);
  const auto runWith = [&](int32_t place) {
    const std::vector<float> zeros = tile(0);
    stream->upload({before.get()}, zeros.data(), {64});
    stream->upload({after.get()}, zeros.data(), {64});
    stream->upload({index.get()}, &place, {4});
    run();
    Status status = finish();
    stream->restart();
    EXPECT_EQ(download<float>(*before), tile(31));
    EXPECT_EQ(download<float>(*after), tile(status.ok() ? 31 : 0));
    return status;
  };
  for (int runs = 0; runs < 3; ++runs) {
    EXPECT_TRUE(runWith(3).ok());
    EXPECT_EQ(runWith(10).message(),
              "op 'second': index 10 is out of range: it must be in 0..9");
  }
}

TEST_P(SequenceCts, TimesMayBeWantedOfSomeRuns) {
  auto buffer = upload(tile(0));
  auto step = kernel("twice_plus_one16", 2);
  addSteps(*step, *buffer, 0, 4);
  for (int runs = 0; runs < 4; ++runs) {
    std::vector<uint64_t> times(5, 0);
    run();
    stream->launchSequence(calls, times.data());
    ASSERT_TRUE(finish().ok());
    for (size_t i = 1; i < times.size(); ++i)
      EXPECT_LE(times[i - 1], times[i]);
    EXPECT_GT(times[0], 0u);
    const std::vector<float> zeros = tile(0);
    EXPECT_EQ(download<float>(*buffer), tile(255));
    stream->upload({buffer.get()}, zeros.data(), {64});
    ASSERT_TRUE(finish().ok());
  }
}

TEST_P(SequenceCts, WhatRunsIsAmongTheLaunchesThatAreNamed) {
  auto state = upload(std::vector<int32_t>{0, 1});
  auto buffer = upload(tile(0));
  auto beside = device->makeStream().take();
  auto reached = device->makeEvent();
  auto step = kernel("twice_plus_one16", 2), block = kernel("block", 1);
  const LaunchInfo first{"first", "stage", {}}, blocks{"block", "stage", {}};
  const LaunchInfo last{"last", "stage", {}};
  addSteps(*step, *buffer, 0, 2);
  add(*block, {{state.get()}});
  addSteps(*step, *buffer, 0, 1);
  calls[0].info = &first, calls[2].info = &blocks, calls[3].info = &last;
  for (int runs = 0; runs < 3; ++runs)
    run();
  const int32_t closed[] = {0, 0};
  stream->upload({state.get()}, closed, {8});
  ASSERT_TRUE(finish().ok());
  std::thread worker([&] {
    run();
    EXPECT_TRUE(finish().ok());
  });
  int32_t value = 0;
  while (value == 0) {
    beside->download(&value, {state.get()}, {4});
    beside->record(*reached);
    ASSERT_TRUE(reached->wait().ok());
  }
  const RunningLaunches running = stream->running();
  EXPECT_EQ(running.first, isGpu() ? &first : &blocks);
  EXPECT_EQ(running.last, isGpu() ? &last : &blocks);
  beside->upload({state.get(), 4}, &value, {4});
  beside->record(*reached);
  ASSERT_TRUE(reached->wait().ok());
  worker.join();
  EXPECT_EQ(stream->running().first, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Drivers, SequenceCts,
                         testing::ValuesIn(driverNames()));
} // namespace
