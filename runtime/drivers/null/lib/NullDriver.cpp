// SPDX-License-Identifier: Apache-2.0
#include "smp/drivers/null/NullDriver.h"
#include "NullStream.h"
#include "smp/drivers/host/HostEvent.h"

namespace smp {

namespace {

class NullDevice final : public Device {
public:
  NullDevice(const DeviceSpec &spec, const DeviceOptions &options, int level,
             uint64_t seed)
      : Device(spec.name(), options.memoryLimit), allocator(options.allocator),
        level(level), random(seed) {}

  int fitness(std::string_view target,
              std::string_view variantLevel) const override {
    return processorFitness(level, target, variantLevel);
  }
  std::string kind() const override {
    return "x86-64-v" + std::to_string(level);
  }

  StatusOr<std::unique_ptr<Buffer>> allocate(uint64_t bytes) override {
    SMP_ASSIGN_OR_RETURN(auto block,
                         HostBlock::allocate(meter, allocator, bytes, name()));
    for (uint64_t i = 0; i < bytes; ++i)
      block.data()[i] = std::byte(random());
    return std::unique_ptr<Buffer>(new HostBuffer(std::move(block)));
  }
  std::unique_ptr<Buffer> importHost(void *, uint64_t) override {
    return nullptr;
  }
  void reimportHost(Buffer &, void *, uint64_t) override {}

  StatusOr<std::shared_ptr<Image>>
  loadImage(std::span<const std::byte> bytes,
            std::span<const AssembledImage>) override {
    return HostImage::load(bytes);
  }
  StatusOr<std::unique_ptr<DeviceKernel>>
  makeKernel(std::shared_ptr<Image> image, const KernelDesc &desc) override {
    if (scratch.size() < desc.scratchBytes) {
      SMP_ASSIGN_OR_RETURN(
          scratch,
          HostBlock::allocate(meter, allocator, desc.scratchBytes, name()));
    }
    return HostKernel::make(std::move(image), desc);
  }
  StatusOr<std::unique_ptr<Stream>> makeStream() override {
    return NullStream::create(name(), random(), scratch);
  }
  std::unique_ptr<Event> makeEvent() override {
    return std::make_unique<HostEvent>();
  }

private:
  const void *memorySpace() const override {
    static const char everyNullDevice = 0;
    return &everyNullDevice;
  }

  HostAllocator allocator;
  int level;
  std::mt19937_64 random;
  HostBlock scratch; // One launch at a time needs one.
};

class NullDriver final : public Driver {
public:
  std::string_view name() const override { return "null"; }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceSpec> specs,
       const DeviceOptions &options) override {
    SMP_RETURN_IF_ERROR(refuseSettings(specs));
    SMP_ASSIGN_OR_RETURN(const int level, processorLevel(options.level));
    const uint64_t seed = options.seed ? options.seed : std::random_device()();
    std::vector<std::unique_ptr<Device>> devices;
    for (const DeviceSpec &spec : specs) {
      if (options.log)
        options.log(LogLevel::Info, "device '" + spec.name() + "': seed " +
                                        std::to_string(seed));
      devices.emplace_back(
          new NullDevice(spec, options, level, seed + spec.ordinal));
    }
    return devices;
  }
};

} // namespace

std::unique_ptr<Driver> makeNullDriver() {
  return std::make_unique<NullDriver>();
}

} // namespace smp
