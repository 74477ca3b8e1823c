// SPDX-License-Identifier: Apache-2.0
// The conformance suite of drivers: every case runs once per driver. A driver
// that has no device here is skipped, never passed.

#ifndef SMP_TESTS_CTS_DEVICECTS_H
#define SMP_TESTS_CTS_DEVICECTS_H

#include "TestKernels.h"
#include "smp/device/Cores.h"
#include "smp/drivers/RegisterDrivers.h"
#include <cstring>
#include <gtest/gtest.h>

namespace smp::test {

/// Whether the driver's devices are GPUs, whose kernels are PTX.
inline bool hasGpus(std::string_view driver) {
  return driver.starts_with("cuda");
}

/// Settings without which a device might not be there: one GPU has them all.
inline std::string placeSettings(std::string_view driver) {
  return hasGpus(driver) ? "0" : "";
}

/// Settings that keep a device of the driver small.
inline std::string modestSettings(std::string_view driver) {
  if (hasGpus(driver))
    return placeSettings(driver);
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

/// A kernel of TestKernels.c for a driver. On GPUs, scratch is the shared
/// memory of a block, and `workspace` has room for fault records.
inline KernelDesc describeKernel(std::string_view driver, const char *symbol,
                                 uint32_t buffers, uint32_t x = 1,
                                 uint32_t y = 1, uint32_t z = 1,
                                 uint64_t scratch = 0,
                                 Buffer *workspace = nullptr) {
  if (!hasGpus(driver))
    return {symbol, {x, y, z}, scratch, buffers};
  BlockLaunch blocks;
  blocks.threads[0] = 32;
  blocks.sharedBytes = uint32_t(scratch);
  blocks.faultRecords = std::string_view(symbol) == "gather10" ? 2 : 0;
  return {symbol, {x, y, z}, 0, buffers, blocks, workspace};
}

class DeviceCts : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    registerDrivers(registry);
    image = isGpu() ? testKernelsPtx() : testKernelsElf();
    auto opened = open();
    if (!opened.ok())
      GTEST_SKIP() << "needs a device of the driver: "
                   << opened.status().message();
    device = opened.take();
    stream = device->makeStream().take();
  }

  bool isGpu() const { return hasGpus(GetParam()); }

  DeviceSpec specOf(uint32_t ordinal) const {
    return specOf(ordinal, placeSettings(GetParam()));
  }
  DeviceSpec specOf(uint32_t ordinal, std::string settings) const {
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
    if (isGpu() && !workspace)
      workspace = device->allocate(2 * sizeof(smp_cuda_fault)).take();
    auto made = device->makeKernel(
        loaded.take(), describeKernel(GetParam(), symbol, buffers, x, y, z,
                                      scratch, workspace.get()));
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
  std::span<const std::byte> image;
  LaunchInfo info{"test kernel", "test stage", {"first", "second"}};
  std::unique_ptr<Device> device;
  std::unique_ptr<Buffer> workspace; // Of kernels of GPUs; null until needed.
  std::unique_ptr<Stream> stream;
};

} // namespace smp::test

#endif // SMP_TESTS_CTS_DEVICECTS_H
