// SPDX-License-Identifier: Apache-2.0
// The conformance suite of drivers: every case runs once per driver. A driver
// that has no device here is skipped, never passed.

#ifndef SMP_TESTS_CTS_DEVICECTS_H
#define SMP_TESTS_CTS_DEVICECTS_H

#include "smp/device/Cores.h"
#include "smp/drivers/RegisterDrivers.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace smp::test {

inline std::vector<std::byte> readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(text.size());
  if (!text.empty())
    std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// Settings that keep a device of the driver small.
inline std::string modestSettings(std::string_view driver) {
  if (driver != "cpu")
    return "";
  const std::vector<uint32_t> cores = allowedCores().cores;
  std::string list = std::to_string(cores[0]);
  for (size_t i = 1; i < std::min<size_t>(cores.size(), 4); ++i)
    list += "," + std::to_string(cores[i]);
  return list;
}

/// The drivers of this build.
inline std::vector<std::string> driverNames() {
  DriverRegistry registry;
  registerDrivers(registry);
  return registry.names();
}

class DeviceCts : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    registerDrivers(registry);
    image = readFile(SMP_TEST_KERNELS);
    ASSERT_FALSE(image.empty()) << SMP_TEST_KERNELS;
    auto opened = open();
    if (!opened.ok())
      GTEST_SKIP() << opened.status().message();
    device = opened.take();
    stream = device->makeStream().take();
  }

  DeviceSpec specOf(uint32_t ordinal, std::string settings = "") const {
    return {0, GetParam(), ordinal, std::move(settings)};
  }

  StatusOr<std::vector<std::unique_ptr<Device>>>
  openAll(std::span<const DeviceSpec> specs, DeviceOptions options = {}) {
    auto driver = registry.find(GetParam());
    if (!driver.ok())
      return driver.status();
    options.log = [](LogLevel, std::string_view line) {
      if (line.find("seed") != line.npos)
        printf("%.*s\n", int(line.size()), line.data());
    };
    return (*driver)->open(specs, options);
  }

  StatusOr<std::unique_ptr<Device>> open(DeviceOptions options = {},
                                         uint32_t ordinal = 0) {
    const DeviceSpec spec = specOf(ordinal, modestSettings(GetParam()));
    auto opened = openAll({&spec, 1}, std::move(options));
    if (!opened.ok())
      return opened.status();
    return std::move(opened->front());
  }

  std::unique_ptr<DeviceKernel> kernel(const char *symbol, uint32_t buffers,
                                       uint32_t x = 1, uint32_t y = 1,
                                       uint32_t z = 1, uint64_t scratch = 0) {
    auto loaded = device->loadImage(image);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    auto made = device->makeKernel(
        loaded.take(), KernelDesc{symbol, {x, y, z}, scratch, buffers});
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? made.take() : nullptr;
  }

  template <typename T>
  std::unique_ptr<Buffer> upload(const std::vector<T> &values) {
    auto buffer = device->allocate(values.size() * sizeof(T)).take();
    stream->upload({buffer.get()}, values.data(), {values.size() * sizeof(T)});
    EXPECT_TRUE(finish().ok());
    return buffer;
  }

  template <typename T>
  std::vector<T> download(Buffer &buffer) {
    std::vector<T> values(buffer.size() / sizeof(T));
    stream->download(values.data(), {&buffer}, {buffer.size()});
    EXPECT_TRUE(finish().ok());
    return values;
  }

  void launch(DeviceKernel &launched, std::vector<BufferView> buffers) {
    stream->launch(launched, buffers, info);
  }

  /// Waits for all that was put into the stream.
  Status finish() {
    auto event = device->makeEvent();
    stream->record(*event);
    return event->wait();
  }

  DriverRegistry registry;
  std::vector<std::byte> image;
  LaunchInfo info{"test kernel", "test stage", {"first", "second"}};
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

} // namespace smp::test

#endif // SMP_TESTS_CTS_DEVICECTS_H
