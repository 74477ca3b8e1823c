// SPDX-License-Identifier: Apache-2.0
#include "smp/drivers/cuda/CudaDriver.h"
#include "CudaStream.h"
#include <charconv>
#include <chrono>
#include <random>

namespace smp {

namespace cuda {
namespace {

/// What a device uses of its GPU.
enum class Level { Sm80 = 80, Sm90a = 90 };

StatusOr<Level> chooseLevel(const CudaGpu &gpu, const std::string &forced,
                            const std::string &who) {
  const bool hasHopper = gpu.capability() == 90;
  if (forced.empty())
    return hasHopper ? Level::Sm90a : Level::Sm80;
  if (forced == "sm_80")
    return Level::Sm80;
  if (forced != "sm_90a")
    return invalidArgument(who + ": there is no CUDA level '" + forced +
                           "'; write sm_80 or sm_90a");
  if (hasHopper)
    return Level::Sm90a;
  return invalidArgument(who +
                         ": level 'sm_90a' is for compute capability "
                         "9.0; this GPU has " +
                         gpu.capabilityText());
}

/// Whether machine code for an architecture runs on a GPU: it is of the same
/// major capability and of no higher minor one; "sm_90a" is for 9.0 alone.
bool fits(std::string_view architecture, int capability) {
  if (!architecture.starts_with("sm_"))
    return false;
  int number = 0;
  const char *end = architecture.data() + architecture.size();
  const auto [rest, error] =
      std::from_chars(architecture.data() + 3, end, number);
  if (error != std::errc())
    return false;
  if (rest != end)
    return number == capability;
  return number / 10 == capability / 10 && number <= capability;
}

class CudaDevice final : public Device {
public:
  CudaDevice(const DeviceSpec &spec, const DeviceOptions &options,
             std::shared_ptr<CudaGpu> gpu, Level level, uint64_t seed)
      : Device(spec.name(), options.memoryLimit), gpu(std::move(gpu)),
        level(level), random(seed), log(options.log) {}

  int fitness(std::string_view target,
              std::string_view variantLevel) const override {
    if (target != "cuda")
      return -1;
    if (variantLevel == "sm_80")
      return int(Level::Sm80);
    return variantLevel == "sm_90a" && level == Level::Sm90a ? int(level) : -1;
  }
  std::string kind() const override {
    return std::string(level == Level::Sm90a ? "sm_90a" : "sm_80") + "/" +
           gpu->capabilityText();
  }

  uint32_t cores() const override { return gpu->numMultiprocessors(); }

  Status checkRoom(uint64_t bytes) override {
    const CudaGpu::Use use(*gpu);
    size_t free = 0, total = 0;
    SMP_RETURN_IF_ERROR(
        gpu->check(gpu->api.cuMemGetInfo(&free, &total), "cuMemGetInfo"));
    if (bytes <= free)
      return Status();
    return resourceExhausted(
        "device '" + name() + "': the program needs " + std::to_string(bytes) +
        " bytes here, of " + std::to_string(free) + " that are free of " +
        std::to_string(total) +
        "; split it over more devices, or make the microbatches smaller");
  }
  StatusOr<std::unique_ptr<Buffer>> allocate(uint64_t bytes) override {
    return CudaBuffer::allocate(gpu, meter, bytes, name());
  }
  std::unique_ptr<Buffer> importHost(void *, uint64_t) override {
    return nullptr;
  }
  void reimportHost(Buffer &, void *, uint64_t) override {}
  std::unique_ptr<PinnedHost> pinHost(void *data, uint64_t bytes) override {
    return PinnedRange::pin(gpu, data, bytes);
  }

  StatusOr<std::shared_ptr<Image>>
  loadImage(std::span<const std::byte> bytes,
            std::span<const AssembledImage> assembled) override {
    for (const AssembledImage &cubin : assembled) {
      if (!fits(cubin.architecture, gpu->capability()))
        continue;
      auto image = CudaImage::fromCubin(gpu, cubin.bytes);
      if (image.ok())
        return image;
      SMP_RETURN_IF_ERROR(gpu->state());
      warn(cubin, image.status());
    }
    const auto start = std::chrono::steady_clock::now();
    auto image = CudaImage::fromPtx(gpu, bytes);
    jit += std::chrono::steady_clock::now() - start;
    return image;
  }
  double jitSeconds() const override { return jit.count(); }
  StatusOr<std::unique_ptr<DeviceKernel>>
  makeKernel(std::shared_ptr<Image> image, const KernelDesc &desc) override {
    return CudaKernel::make(std::move(image), desc);
  }
  StatusOr<std::unique_ptr<Stream>> makeStream() override {
    return CudaStream::create(gpu, random());
  }
  std::unique_ptr<Event> makeEvent() override {
    return std::make_unique<CudaEvent>(gpu);
  }

private:
  /// Of a cubin that is not taken because its bytes are wrong.
  void warn(const AssembledImage &cubin, const Status &why) const {
    if (log && why.code() == StatusCode::DataLoss)
      log(LogLevel::Warning,
          "device '" + name() + "': a cubin of " +
              std::to_string(cubin.bytes.size()) + " bytes for " +
              cubin.architecture +
              " is damaged, and its PTX is taken: " + why.message());
  }

  const void *memorySpace() const override { return gpu.get(); }
  const void *peers() const override { return &gpu->api; }

  std::shared_ptr<CudaGpu> gpu;
  Level level;
  std::mt19937_64 random; // Seeds of streams, for the emulator.
  LogSink log;
  std::chrono::duration<double> jit{};
};

class CudaDriver final : public Driver {
public:
  CudaDriver(std::string name, std::string library)
      : label(std::move(name)), libraryName(std::move(library)) {}
  std::string_view name() const override { return label; }

  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceSpec> specs,
       const DeviceOptions &options) override {
    std::vector<int> ordinals;
    for (const DeviceSpec &spec : specs) {
      SMP_ASSIGN_OR_RETURN(const int ordinal, ordinalOf(spec));
      ordinals.push_back(ordinal);
    }
    std::vector<std::unique_ptr<Device>> devices;
    for (size_t i = 0; i < specs.size(); ++i) {
      SMP_ASSIGN_OR_RETURN(auto device,
                           openOne(specs[i], ordinals[i], options));
      devices.push_back(std::move(device));
    }
    return devices;
  }

private:
  /// The number of its GPU: its own, or what its settings say.
  static StatusOr<int> ordinalOf(const DeviceSpec &spec) {
    if (spec.settings.empty())
      return int(spec.ordinal);
    if (const auto number = parseDeviceNumber(spec.settings))
      return int(*number);
    return invalidArgument("device '" + spec.name() + "' is given settings '" +
                           spec.settings +
                           "'; they are the number of a GPU, "
                           "as in " +
                           spec.name() + "=0");
  }

  StatusOr<std::unique_ptr<Device>> openOne(const DeviceSpec &spec, int ordinal,
                                            const DeviceOptions &options) {
    const std::string who = "device '" + spec.name() + "'";
    SMP_ASSIGN_OR_RETURN(const CudaLibrary *library,
                         CudaLibrary::open(libraryName, who));
    SMP_ASSIGN_OR_RETURN(auto gpu, CudaGpu::open(*library, ordinal, who));
    SMP_ASSIGN_OR_RETURN(const Level level,
                         chooseLevel(*gpu, options.level, who));
    const uint64_t seed = options.seed ? options.seed : std::random_device()();
    if (library->smpEmulatorSeed && options.log)
      options.log(LogLevel::Info, who + ": seed " + std::to_string(seed));
    return std::unique_ptr<Device>(new CudaDevice(spec, options, std::move(gpu),
                                                  level, seed + spec.ordinal));
  }

  std::string label, libraryName;
};

} // namespace
} // namespace cuda

std::unique_ptr<Driver> makeCudaDriver() {
  return makeCudaDriver("cuda", "libcuda.so.1");
}

std::unique_ptr<Driver> makeCudaDriver(const std::string &name,
                                       const std::string &library) {
  return std::make_unique<cuda::CudaDriver>(name, library);
}

} // namespace smp
