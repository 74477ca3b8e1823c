// SPDX-License-Identifier: Apache-2.0
#include "TapeDriver.h"
#include "TapeTarget.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/drivers/host/HostEvent.h"
#include "smp/drivers/host/Memory.h"
#include "smp/ir/GraphExport.h"
#include "smp/model/Reference.h"
#include <chrono>
#include <cstring>

namespace smp::test {

namespace {

/// The graphs of an image's kernels, by symbol.
class TapeImage final : public Image {
public:
  static StatusOr<std::shared_ptr<Image>>
  read(std::span<const std::byte> bytes) {
    mlir::MLIRContext context;
    context.loadDialect<ir::SmpDialect>();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        llvm::StringRef(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size()),
        &context);
    if (!module)
      return invalidArgument("the tape cannot be read");
    auto image = std::make_shared<TapeImage>();
    module->walk([&](ir::StageOp stage) {
      if (auto graph = ir::exportGraph(stage); succeeded(graph))
        image->graphs[stage.getSymName().str()] = std::move(*graph);
    });
    return std::shared_ptr<Image>(std::move(image));
  }

  std::map<std::string, Graph> graphs;
};

class TapeKernel final : public DeviceKernel {
public:
  TapeKernel(std::shared_ptr<Image> image, const Graph &graph)
      : graph(graph), image(std::move(image)) {}
  const Graph &graph; ///< Of the image.

private:
  std::shared_ptr<Image> image;
};

class TapeStream final : public Stream {
public:
  void launch(DeviceKernel &kernel, std::span<const BufferView> buffers,
              const LaunchInfo &info) override {
    if (!error.ok())
      return;
    const Graph &graph = static_cast<TapeKernel &>(kernel).graph;
    std::vector<HostTensor> inputs;
    for (uint32_t input : graph.inputs) {
      HostTensor &tensor =
          inputs.emplace_back(HostTensor::zeros(graph.values[input].type));
      std::memcpy(tensor.bytes.data(), hostAddress(buffers[inputs.size() - 1]),
                  tensor.bytes.size());
    }
    const Evaluation evaluation = evaluate(graph, inputs, nullptr);
    if (!evaluation.ok()) {
      error = invalidArgument(info.kernel + ": " + evaluation.error);
      return;
    }
    for (size_t i = 0; i < evaluation.results.size(); ++i)
      std::memcpy(hostAddress(buffers[inputs.size() + i]),
                  evaluation.results[i].bytes.data(),
                  evaluation.results[i].bytes.size());
    ++completed;
  }
  void copy(BufferView to, BufferView from, const CopyShape &shape) override {
    move(hostAddress(to), hostAddress(from), shape);
  }
  void upload(BufferView to, const void *from,
              const CopyShape &shape) override {
    move(hostAddress(to), static_cast<const std::byte *>(from), shape);
  }
  void download(void *to, BufferView from, const CopyShape &shape) override {
    move(static_cast<std::byte *>(to), hostAddress(from), shape);
  }
  void timestamp(uint64_t *nanoseconds) override {
    *nanoseconds =
        uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  void record(Event &event) override {
    auto &host = static_cast<HostEvent &>(event);
    host.announce();
    host.complete(error);
  }
  void wait(Event &event) override {
    auto &host = static_cast<HostEvent &>(event);
    Status status = host.waitFor(host.announced());
    if (error.ok())
      error = std::move(status);
  }
  void restart() override { error = Status(); }
  uint64_t progress() const override { return completed.load(); }
  RunningLaunches running() const override { return {}; }

private:
  void move(std::byte *to, const std::byte *from, const CopyShape &shape) {
    if (error.ok())
      copyRows(to, from, shape);
  }

  Status error;
  std::atomic<uint64_t> completed{0};
};

class TapeDevice final : public Device {
public:
  TapeDevice(const DeviceSpec &spec, const DeviceOptions &options)
      : Device(spec.name(), options.memoryLimit), allocator(options.allocator) {
  }

  int fitness(std::string_view target, std::string_view level) const override {
    return target != kTapeArchitecture ? -1 : level == "stereo" ? 2 : 1;
  }
  std::string kind() const override { return "tape-stereo"; }
  StatusOr<std::unique_ptr<Buffer>> allocate(uint64_t bytes) override {
    auto block = HostBlock::allocate(meter, allocator, bytes, name());
    if (!block.ok())
      return block.status();
    return std::unique_ptr<Buffer>(new HostBuffer(block.take()));
  }
  std::unique_ptr<Buffer> importHost(void *, uint64_t) override {
    return nullptr;
  }
  void reimportHost(Buffer &, void *, uint64_t) override {}
  StatusOr<std::shared_ptr<Image>>
  loadImage(std::span<const std::byte> bytes,
            std::span<const AssembledImage>) override {
    return TapeImage::read(bytes);
  }
  StatusOr<std::unique_ptr<DeviceKernel>>
  makeKernel(std::shared_ptr<Image> image, const KernelDesc &desc) override {
    const auto &graphs = static_cast<TapeImage &>(*image).graphs;
    const auto found = graphs.find(desc.symbol);
    if (found == graphs.end() || desc.scratchBytes != 128)
      return invalidArgument("the tape has no kernel '" + desc.symbol + "'");
    return std::unique_ptr<DeviceKernel>(
        new TapeKernel(std::move(image), found->second));
  }
  StatusOr<std::unique_ptr<Stream>> makeStream() override {
    return std::unique_ptr<Stream>(new TapeStream());
  }
  std::unique_ptr<Event> makeEvent() override {
    return std::make_unique<HostEvent>();
  }

private:
  HostAllocator allocator;
};

class TapeDriver final : public Driver {
public:
  std::string_view name() const override { return "tape"; }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceSpec> specs,
       const DeviceOptions &options) override {
    SMP_RETURN_IF_ERROR(refuseSettings(specs));
    std::vector<std::unique_ptr<Device>> devices;
    for (const DeviceSpec &spec : specs)
      devices.push_back(std::make_unique<TapeDevice>(spec, options));
    return devices;
  }
};

} // namespace

std::unique_ptr<Driver> makeTapeDriver() {
  return std::make_unique<TapeDriver>();
}

} // namespace smp::test
