// SPDX-License-Identifier: Apache-2.0
#include "smp/drivers/cpu/CpuDriver.h"
#include "CpuStream.h"
#include "ResolveCores.h"
#include "smp/base/Lists.h"
#include "smp/drivers/host/HostEvent.h"

namespace smp {

namespace {

class CpuDevice final : public Device {
public:
  CpuDevice(const std::string &name, std::vector<uint32_t> cores,
            const DeviceOptions &options, int level, std::unique_ptr<Team> team)
      : Device(name, options.memoryLimit), onCores(std::move(cores)),
        allocator(options.allocator), level(level), team(std::move(team)) {}

  int fitness(std::string_view target,
              std::string_view variantLevel) const override {
    return processorFitness(level, target, variantLevel);
  }
  std::string kind() const override {
    return "x86-64-v" + std::to_string(level);
  }
  uint32_t cores() const override { return uint32_t(onCores.size()); }
  void bindThisThread() override { pinThisThread(onCores); }

  StatusOr<std::unique_ptr<Buffer>> allocate(uint64_t bytes) override {
    SMP_ASSIGN_OR_RETURN(auto block,
                         HostBlock::allocate(meter, allocator, bytes, name()));
    return std::unique_ptr<Buffer>(new HostBuffer(std::move(block)));
  }
  std::unique_ptr<Buffer> importHost(void *data, uint64_t bytes) override {
    return std::make_unique<HostBuffer>(data, bytes);
  }
  const std::byte *readableInPlace(const Buffer &buffer) const override {
    return static_cast<const HostBuffer &>(buffer).data;
  }
  void reimportHost(Buffer &buffer, void *data, uint64_t bytes) override {
    static_cast<HostBuffer &>(buffer).pointTo(data, bytes);
  }

  /// An application's allocator has all of a Session's memory.
  bool sharesParts() const override { return !allocator.allocate; }
  StatusOr<std::shared_ptr<std::byte>> allocateShared(uint64_t bytes) override {
    return allocateHost(bytes, name());
  }
  StatusOr<std::unique_ptr<Buffer>> reserve(uint64_t bytes) override {
    SMP_ASSIGN_OR_RETURN(auto block, HostBlock::reserve(meter, bytes, name()));
    return std::unique_ptr<Buffer>(new HostBuffer(std::move(block)));
  }

  StatusOr<std::shared_ptr<Image>>
  loadImage(std::span<const std::byte> bytes,
            std::span<const AssembledImage>) override {
    return HostImage::load(bytes);
  }
  StatusOr<std::unique_ptr<DeviceKernel>>
  makeKernel(std::shared_ptr<Image> image, const KernelDesc &desc) override {
    SMP_RETURN_IF_ERROR(team->reserveScratch(desc.scratchBytes, meter));
    return HostKernel::make(std::move(image), desc);
  }
  StatusOr<std::unique_ptr<Stream>> makeStream() override {
    return std::unique_ptr<Stream>(new CpuStream(*team));
  }
  std::unique_ptr<Event> makeEvent() override {
    return std::make_unique<HostEvent>();
  }

private:
  const void *memorySpace() const override {
    static const char everyCpuDevice = 0;
    return &everyCpuDevice;
  }

  std::vector<uint32_t> onCores;
  HostAllocator allocator;
  int level;
  std::unique_ptr<Team> team; // Destroyed first: its scratch uses the meter.
};

/// "device 'cpu:0': x86-64-v3, cores 0, 1".
static std::string describe(const std::string &name,
                            const std::vector<uint32_t> &cores, int level) {
  return "device '" + name + "': x86-64-v" + std::to_string(level) +
         ", cores " + join(cores, ", ");
}

static StatusOr<std::unique_ptr<Device>>
openDevice(const std::string &name, const std::vector<uint32_t> &cores,
           const DeviceOptions &options, int level) {
  SMP_ASSIGN_OR_RETURN(auto team, Team::create(name, cores, options.allocator));
  if (options.log)
    options.log(LogLevel::Info, describe(name, cores, level));
  return std::unique_ptr<Device>(
      new CpuDevice(name, cores, options, level, std::move(team)));
}

class CpuDriver final : public Driver {
public:
  std::string_view name() const override { return "cpu"; }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceSpec> specs,
       const DeviceOptions &options) override {
    SMP_ASSIGN_OR_RETURN(auto cores,
                         resolveCores(specs, allowedCores(), options.log));
    SMP_ASSIGN_OR_RETURN(const int level, processorLevel(options.level));
    std::vector<std::unique_ptr<Device>> devices;
    for (size_t i = 0; i < specs.size(); ++i) {
      SMP_ASSIGN_OR_RETURN(
          auto device, openDevice(specs[i].name(), cores[i], options, level));
      devices.push_back(std::move(device));
    }
    return devices;
  }
};

} // namespace

std::unique_ptr<Driver> makeCpuDriver() {
  return std::make_unique<CpuDriver>();
}

} // namespace smp
