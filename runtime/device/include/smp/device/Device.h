// SPDX-License-Identifier: Apache-2.0
// A device: where memory, kernels and streams come from.

#ifndef SMP_DEVICE_DEVICE_H
#define SMP_DEVICE_DEVICE_H

#include "smp/base/Log.h"
#include "smp/device/DeviceSpec.h"
#include "smp/device/HostAllocator.h"
#include "smp/device/Stream.h"

namespace smp {

/// How a device is opened.
struct DeviceOptions {
  /// The highest level of kernels to use, as the driver names those of its
  /// devices. Empty: all that the device has.
  std::string level;
  uint64_t memoryLimit = MemoryMeter::kNoLimit;
  HostAllocator allocator; ///< Empty: the C library's.
  uint64_t seed = 0;       ///< For drivers that make random choices; 0: any.
  LogSink log;
};

/// Host memory that a device reaches by itself, while this lives.
class PinnedHost {
public:
  virtual ~PinnedHost() = default;
};

/// Made by a Driver. Outlives everything made from it.
class Device {
public:
  virtual ~Device() = default;
  /// As in its spec: "cpu:0".
  const std::string &name() const { return label; }
  /// How well variants for this target and level fit: the highest wins, below
  /// zero cannot run here.
  virtual int fitness(std::string_view target,
                      std::string_view level) const = 0;
  /// The kind and level that numbers depend on: "x86-64-v3".
  virtual std::string kind() const = 0;
  /// How many cores, or multiprocessors of a GPU, compute a kernel: times
  /// depend on it, numbers do not.
  virtual uint32_t cores() const { return 1; }
  /// Prepares the calling thread for putting work into this device's streams
  /// for the rest of its life: pins it where that helps.
  virtual void bindThisThread() {}

  /// Ok when so much memory is free now, as far as the device can tell before
  /// it is taken: a program that does not fit is refused at once.
  virtual Status checkRoom([[maybe_unused]] uint64_t bytes) { return Status(); }
  /// Memory of this device at a multiple of kDeviceAlignment, undefined at
  /// first.
  virtual StatusOr<std::unique_ptr<Buffer>> allocate(uint64_t bytes) = 0;
  /// Host memory used in place, or null when the device cannot. The memory
  /// outlives the buffer.
  virtual std::unique_ptr<Buffer> importHost(void *data, uint64_t bytes) = 0;
  /// Where the host may read what a buffer of this device has, while no work
  /// changes it; null: only streams can.
  virtual const std::byte *
  readableInPlace([[maybe_unused]] const Buffer &buffer) const {
    return nullptr;
  }
  /// Points an imported buffer at other host memory; no work uses it now.
  virtual void reimportHost(Buffer &buffer, void *data, uint64_t bytes) = 0;

  /// Whether images that it has loaded, and host memory that its kernels have
  /// written, serve all devices of this kind in the process.
  virtual bool sharesParts() const { return false; }
  /// Host memory at a multiple of kDeviceAlignment, zero at first, for all
  /// devices of this kind that share. No device counts it: see reserve().
  virtual StatusOr<std::shared_ptr<std::byte>>
  allocateShared([[maybe_unused]] uint64_t bytes) {
    return failedPrecondition("device '" + name() + "' shares no memory");
  }
  /// A buffer of so many bytes that are counted, and have no memory yet:
  /// reimportHost() says where they are. Of devices that share.
  virtual StatusOr<std::unique_ptr<Buffer>>
  reserve([[maybe_unused]] uint64_t bytes) {
    return failedPrecondition("device '" + name() + "' shares no memory");
  }
  /// Lets copies to and from this host memory be the device's own work. The
  /// memory outlives the result. Null: nothing is gained here, or it cannot be.
  virtual std::unique_ptr<PinnedHost> pinHost([[maybe_unused]] void *data,
                                              [[maybe_unused]] uint64_t bytes) {
    return nullptr;
  }
  /// Whether launches here may use buffers of `other`.
  bool sharesMemoryWith(const Device &other) const {
    return memorySpace() == other.memorySpace();
  }
  /// Whether streams here may copy from buffers of `other`, which may have its
  /// own memory.
  bool copiesFrom(const Device &other) const {
    return sharesMemoryWith(other) || peers() == other.peers();
  }

  /// `bytes` and what they were `assembled` into outlive the image.
  virtual StatusOr<std::shared_ptr<Image>>
  loadImage(std::span<const std::byte> bytes,
            std::span<const AssembledImage> assembled = {}) = 0;
  virtual StatusOr<std::unique_ptr<DeviceKernel>>
  makeKernel(std::shared_ptr<Image> image, const KernelDesc &desc) = 0;
  virtual StatusOr<std::unique_ptr<Stream>> makeStream() = 0;
  virtual std::unique_ptr<Event> makeEvent() = 0;

  const MemoryMeter &memory() const { return meter; }
  /// What loading images took because their machine code had to be made first.
  virtual double jitSeconds() const { return 0; }

protected:
  /// Devices that return the same pointer share their memory.
  virtual const void *memorySpace() const { return this; }
  /// Devices that return the same pointer copy from each other.
  virtual const void *peers() const { return this; }

  Device(std::string name, uint64_t memoryLimit)
      : label(std::move(name)), meter(memoryLimit) {}
  std::string label;
  MemoryMeter meter;
};

/// A kind of device.
class Driver {
public:
  virtual ~Driver() = default;
  /// What specs call it: "cpu".
  virtual std::string_view name() const = 0;
  /// Opens all devices of this driver in this process, in the order of their
  /// specs: together, since they may have to share what the machine has. Fails
  /// when one of them cannot be opened, or has settings that the driver does
  /// not know.
  virtual StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceSpec> specs, const DeviceOptions &options) = 0;
};

/// The drivers of a process or test, by name.
class DriverRegistry {
public:
  void add(std::unique_ptr<Driver> driver);
  /// The driver, or an error that lists those there are.
  StatusOr<Driver *> find(std::string_view name) const;
  /// In the order in which they were added.
  std::vector<std::string> names() const;

private:
  std::vector<std::unique_ptr<Driver>> drivers;
};

} // namespace smp

#endif // SMP_DEVICE_DEVICE_H
