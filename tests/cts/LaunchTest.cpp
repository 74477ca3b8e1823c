// SPDX-License-Identifier: Apache-2.0
#include "DeviceCts.h"
#include <xmmintrin.h>

using namespace smp;
using namespace smp::test;

namespace {
class LaunchCts : public DeviceCts {};

TEST_P(LaunchCts, EveryTileRunsOnce) {
  auto counts = upload(std::vector<int32_t>(60, 0));
  auto count = kernel("count_tiles", 1, 3, 4, 5);
  for (int i = 0; i < 50; ++i)
    launch(*count, {{counts.get()}});
  EXPECT_EQ(download<int32_t>(*counts), std::vector<int32_t>(60, 50));
}

TEST_P(LaunchCts, LaunchesRunInOrder) {
  auto buffer = upload(std::vector<float>(16 * 64, 0.0f));
  auto step = kernel("twice_plus_one16", 2, 64);
  auto one = upload(std::vector<float>(16 * 64, 1.0f));
  auto add = kernel("add16", 3, 64);
  for (int i = 0; i < 20; ++i) {
    launch(*step, {{buffer.get()}, {buffer.get()}});
    launch(*add, {{buffer.get()}, {one.get()}, {buffer.get()}});
  }
  EXPECT_EQ(download<float>(*buffer), std::vector<float>(16 * 64, 2097150.0f));
}

TEST_P(LaunchCts, ASequenceIsItsLaunchesOneAfterTheOther) {
  auto buffer = upload(std::vector<float>(16, 0.0f));
  auto table = upload(std::vector<float>(10, 7.0f));
  auto index = upload(std::vector<int32_t>{12});
  auto out = upload(std::vector<float>(1, -1.0f));
  auto step = kernel("twice_plus_one16", 2), gather = kernel("gather10", 3);
  const BufferView inPlace[] = {{buffer.get()}, {buffer.get()}};
  const BufferView outside[] = {{table.get()}, {index.get()}, {out.get()}};
  std::vector<LaunchCall> calls(5, {step.get(), inPlace, &info});
  std::vector<uint64_t> times(7, 0);
  stream->launchSequence(calls, times.data());
  EXPECT_EQ(download<float>(*buffer)[3], 31.0f);
  for (size_t i = 1; i < 6; ++i)
    EXPECT_LE(times[i - 1], times[i]) << i;
  EXPECT_GT(times[0], 0u);
  EXPECT_EQ(times[6], 0u);
  // What follows an error is skipped, but for the times.
  calls[2] = {gather.get(), outside, &info};
  stream->launchSequence(calls, times.data());
  const Status status = finish();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.message();
  for (size_t i = 1; i < 6; ++i)
    EXPECT_LE(times[i - 1], times[i]) << i;
  stream->restart();
  EXPECT_EQ(download<float>(*buffer)[3], 127.0f);
}

TEST_P(LaunchCts, WhatIsCancelledIsAnErrorUntilTheRestart) {
  auto buffer = upload(std::vector<float>(16, 0.0f));
  auto step = kernel("twice_plus_one16", 2);
  std::atomic<bool> over{false};
  stream->cancelWhen(&over);
  launch(*step, {{buffer.get()}, {buffer.get()}});
  ASSERT_TRUE(finish().ok());
  over = true;
  launch(*step, {{buffer.get()}, {buffer.get()}});
  EXPECT_EQ(finish().code(), StatusCode::Cancelled);
  over = false;
  launch(*step, {{buffer.get()}, {buffer.get()}});
  EXPECT_EQ(finish().code(), StatusCode::Cancelled);
  stream->restart();
  launch(*step, {{buffer.get()}, {buffer.get()}});
  EXPECT_EQ(download<float>(*buffer)[3], 3.0f);
  over = true;
  stream->cancelWhen(nullptr);
  launch(*step, {{buffer.get()}, {buffer.get()}});
  EXPECT_EQ(download<float>(*buffer)[3], 7.0f);
}

TEST_P(LaunchCts, ScratchBelongsToTheThread) {
  auto out = upload(std::vector<int32_t>(512, -2));
  auto run = kernel("scratch4096", 1, 512, 1, 1, 4096);
  launch(*run, {{out.get()}});
  const std::vector<int32_t> values = download<int32_t>(*out);
  for (int32_t i = 0; i < 512; ++i)
    ASSERT_EQ(values[size_t(i)], i);
}

TEST_P(LaunchCts, KernelsRoundToNearestWhateverTheCallerDoes) {
  auto out = upload(std::vector<int32_t>(64, 0));
  auto run = kernel("float_control", 1, 64);
  const unsigned before = _mm_getcsr();
  const unsigned strange = 0x1f80 | 0x8040 | 0x6000; // FTZ, DAZ, towards zero
  _mm_setcsr(strange);
  launch(*run, {{out.get()}});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, strange);
  EXPECT_EQ(download<int32_t>(*out), std::vector<int32_t>(64, 0x1f80));
}

TEST_P(LaunchCts, AFaultIsTheEventsErrorAndStopsTheStream) {
  auto table = upload(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  std::vector<int32_t> wrong(64, 3);
  wrong[11] = 17, wrong[40] = -5;
  auto index = upload(wrong);
  auto out = upload(std::vector<float>(64, -1.0f));
  auto gather = kernel("gather10", 3, 64);
  // A CPU reports the first tile's, a GPU the lowest.
  const std::string reported = isGpu() ? "-5" : "17";
  for (int i = 0; i < 20; ++i) { // Which thread meets which tile varies.
    launch(*gather, {{table.get()}, {index.get()}, {out.get()}});
    const Status status = finish();
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), "op 'second': index " + reported +
                                    " is out of range: it must be in 0..9");
    stream->restart();
  }
  EXPECT_TRUE(finish().ok());
}

TEST_P(LaunchCts, WorkAfterAnErrorIsSkippedUntilRestart) {
  auto table = upload(std::vector<float>(10, 1.0f));
  auto index = upload(std::vector<int32_t>{99});
  auto out = upload(std::vector<float>{-1.0f});
  auto gather = kernel("gather10", 3);
  launch(*gather, {{table.get()}, {index.get()}, {out.get()}});
  const float five = 5;
  stream->upload({out.get()}, &five, {4});
  EXPECT_FALSE(finish().ok());
  EXPECT_FALSE(finish().ok());
  stream->restart();
  EXPECT_EQ(download<float>(*out)[0], -1.0f);
}

TEST_P(LaunchCts, AnErrorTravelsWithAnEvent) {
  auto other = open({}, 1).take();
  auto otherStream = other->makeStream().take();
  auto table = upload(std::vector<float>(10, 1.0f));
  auto index = upload(std::vector<int32_t>{10});
  auto out = upload(std::vector<float>{0});
  auto gather = kernel("gather10", 3);
  auto event = device->makeEvent(), end = other->makeEvent();
  launch(*gather, {{table.get()}, {index.get()}, {out.get()}});
  stream->record(*event);
  otherStream->wait(*event);
  otherStream->record(*end);
  EXPECT_EQ(end->wait().message(),
            "op 'second': index 10 is out of range: it must be in 0..9");
  EXPECT_FALSE(finish().ok());
}

INSTANTIATE_TEST_SUITE_P(Drivers, LaunchCts, testing::ValuesIn(driverNames()));
} // namespace
