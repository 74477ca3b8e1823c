// SPDX-License-Identifier: Apache-2.0
#include "DeviceCts.h"
#include <random>
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

constexpr size_t kSize = 144; // 9 tiles
constexpr uint64_t kBytes = kSize * 4;

/// A random sequence of launches over three buffers, on a device and in plain
/// C++ beside it. Sums are halved so that values stay finite.
class RandomPlay {
public:
  RandomPlay(Device &device, std::string_view driver,
             std::span<const std::byte> image, uint64_t seed)
      : device(device), random(seed), stream(device.makeStream().take()) {
    auto loaded = device.loadImage(image).take();
    step = device
               .makeKernel(loaded,
                           describeKernel(driver, "twice_plus_one16", 2, 9))
               .take();
    add =
        device.makeKernel(loaded, describeKernel(driver, "add16", 3, 9)).take();
    for (auto &values : plain) {
      for (float &value : values)
        value = float(random() % 100);
      buffers.push_back(device.allocate(kBytes).take());
      stream->upload({buffers.back().get()}, values.data(), {kBytes});
    }
    sync();
  }

  void playOne() {
    const size_t a = random() % 3, b = random() % 3, c = random() % 3;
    if (random() % 4 == 0) {
      const BufferView views[] = {{buffers[a].get()}, {buffers[b].get()}};
      stream->launch(*step, views, info);
      for (size_t i = 0; i < kSize; ++i)
        plain[b][i] = 2 * plain[a][i] + 1;
    } else {
      const BufferView views[] = {
          {buffers[a].get()}, {buffers[b].get()}, {buffers[c].get()}};
      stream->launch(*add, views, info);
      for (size_t i = 0; i < kSize; ++i)
        plain[c][i] = plain[a][i] + plain[b][i];
    }
  }

  void expectSame() {
    for (size_t b = 0; b < 3; ++b) {
      std::vector<float> values(kSize);
      stream->download(values.data(), {buffers[b].get()}, {kBytes});
      sync();
      EXPECT_EQ(std::memcmp(values.data(), plain[b].data(), kBytes), 0);
    }
  }

private:
  void sync() {
    auto event = device.makeEvent();
    stream->record(*event);
    EXPECT_TRUE(event->wait().ok());
  }

  Device &device;
  std::mt19937_64 random;
  LaunchInfo info{"random", "stress", {}};
  std::unique_ptr<DeviceKernel> step, add;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<float> plain[3] = {std::vector<float>(kSize),
                                 std::vector<float>(kSize),
                                 std::vector<float>(kSize)};
  std::unique_ptr<Stream> stream; // Ends before what its work uses.
};

class StressCts : public DeviceCts {};

TEST_P(StressCts, RandomLaunchesOnThreeDevicesAtOnce) {
  const uint64_t seed = std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 3; ++i)
    threads.emplace_back([this, i, seed] {
      auto own = open({}, i + 1).take();
      RandomPlay play(*own, GetParam(), image, seed + i);
      for (int n = 0; n < 120; ++n)
        play.playOne();
      play.expectSame();
    });
  for (std::thread &thread : threads)
    thread.join();
}

INSTANTIATE_TEST_SUITE_P(Drivers, StressCts, testing::ValuesIn(driverNames()));

} // namespace
