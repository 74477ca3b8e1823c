// SPDX-License-Identifier: Apache-2.0
#include "DeviceCts.h"
#include <atomic>
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {
class EventCts : public DeviceCts {};

TEST_P(EventCts, OneThatWasNeverRecordedIsDone) {
  auto event = device->makeEvent();
  EXPECT_TRUE(event->done());
  EXPECT_TRUE(event->wait().ok());
}

TEST_P(EventCts, IsDoneOnlyAfterTheWorkBeforeIt) {
  auto state = upload(std::vector<int32_t>{0, 0});
  auto beside = device->makeStream().take(); // Another stream of the device.
  auto reached = device->makeEvent();
  int32_t value = 0;
  auto block = kernel("block", 1);
  auto event = device->makeEvent();
  std::atomic<bool> recorded{false};
  std::thread worker([&] {
    launch(*block, {{state.get()}});
    stream->record(*event);
    recorded = true;
    (void)event->wait();
  });
  while (value == 0) {
    beside->download(&value, {state.get()}, {4});
    beside->record(*reached);
    ASSERT_TRUE(reached->wait().ok());
  }
  EXPECT_TRUE(!recorded || !event->done());
  EXPECT_EQ(stream->running().first, &info);
  EXPECT_EQ(stream->running().last, &info);
  const uint64_t progress = stream->progress();
  beside->upload({state.get(), 4}, &value, {4});
  beside->record(*reached);
  ASSERT_TRUE(reached->wait().ok());
  worker.join();
  EXPECT_TRUE(event->done());
  EXPECT_EQ(stream->running().first, nullptr);
  EXPECT_NE(stream->progress(), progress);
}

TEST_P(EventCts, MayBeRecordedAgain) {
  auto event = device->makeEvent();
  auto buffer = upload(std::vector<float>(16, 0.0f));
  auto step = kernel("twice_plus_one16", 2);
  for (int i = 0; i < 20; ++i) {
    launch(*step, {{buffer.get()}, {buffer.get()}});
    stream->record(*event);
    ASSERT_TRUE(event->wait().ok());
    EXPECT_TRUE(event->done());
  }
  EXPECT_EQ(download<float>(*buffer)[0], 1048575.0f);
}

TEST_P(EventCts, AnotherDeviceWaitsForIt) {
  auto other = open({}, 1).take();
  auto otherStream = other->makeStream().take();
  auto step = kernel("twice_plus_one16", 2);
  auto buffer = upload(std::vector<float>(16, 1.0f));
  auto target = other->allocate(64).take();
  float host[16], result[16];
  auto sent = device->makeEvent(), arrived = other->makeEvent();
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 3; ++i)
      launch(*step, {{buffer.get()}, {buffer.get()}});
    stream->download(host, {buffer.get()}, {64});
    stream->record(*sent);
    otherStream->wait(*sent);
    otherStream->upload({target.get()}, host, {64});
    otherStream->record(*arrived);
    stream->wait(*arrived); // Before `host` is written again.
  }
  otherStream->download(result, {target.get()}, {64});
  otherStream->record(*arrived);
  ASSERT_TRUE(arrived->wait().ok());
  EXPECT_EQ(result[7], 2147483648.0f);
  ASSERT_TRUE(finish().ok());
}

TEST_P(EventCts, TimestampsAreTakenInOrder) {
  uint64_t times[3] = {0, 0, 0};
  auto nothing = kernel("nothing", 0);
  stream->timestamp(&times[0]);
  launch(*nothing, {});
  stream->timestamp(&times[1]);
  stream->timestamp(&times[2]);
  ASSERT_TRUE(finish().ok());
  EXPECT_GT(times[0], 0u);
  EXPECT_LE(times[0], times[1]);
  EXPECT_LE(times[1], times[2]);
}

INSTANTIATE_TEST_SUITE_P(Drivers, EventCts, testing::ValuesIn(driverNames()));
} // namespace
