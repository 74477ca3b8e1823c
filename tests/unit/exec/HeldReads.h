// SPDX-License-Identifier: Apache-2.0
// Devices whose memory is read when a test says so.

#ifndef SMP_TESTS_UNIT_EXEC_HELDREADS_H
#define SMP_TESTS_UNIT_EXEC_HELDREADS_H

#include "smp/drivers/cpu/CpuDriver.h"
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace smp::test {

/// Where downloads wait while they are held.
class ReadGate {
public:
  void hold() { set(true); }
  void release() { set(false); }
  void pass() {
    std::unique_lock<std::mutex> lock(mutex);
    ++waiting;
    changed.notify_all();
    changed.wait(lock, [&] { return !isHeld; });
    --waiting;
  }
  /// From now on downloads of a device of this name are errors.
  void fail(const std::string &device) { failing = device; }
  bool fails(const std::string &device) const { return device == failing; }
  /// From now on what a device of this name has is read in place.
  void lend(const std::string &device) { lending = device; }
  bool lends(const std::string &device) const { return device == lending; }
  /// Until some download waits.
  void awaitRead() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return waiting > 0; });
  }

private:
  void set(bool held) {
    std::lock_guard<std::mutex> lock(mutex);
    isHeld = held;
    changed.notify_all();
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool isHeld = false;
  int waiting = 0;
  std::string failing, lending;
};

/// An event of the CPU's, which may be an error all the same.
class HeldEvent final : public Event {
public:
  explicit HeldEvent(std::unique_ptr<Event> inner) : inner(std::move(inner)) {}
  bool done() const override { return inner->done(); }
  Status wait() override {
    SMP_RETURN_IF_ERROR(inner->wait());
    return isFailed ? unavailable("the device is lost") : Status();
  }

  const std::unique_ptr<Event> inner;
  std::atomic<bool> isFailed{false};
};

/// A stream of the CPU's whose downloads pass the gate, unless it is null.
class HeldStream final : public Stream {
public:
  HeldStream(std::unique_ptr<Stream> inner, ReadGate *gate, std::string device)
      : inner(std::move(inner)), gate(gate), device(std::move(device)) {}
  void launch(DeviceKernel &kernel, std::span<const BufferView> buffers,
              const LaunchInfo &info) override {
    inner->launch(kernel, buffers, info);
  }
  void copy(BufferView to, BufferView from, const CopyShape &shape) override {
    inner->copy(to, from, shape);
  }
  void upload(BufferView to, const void *from,
              const CopyShape &shape) override {
    inner->upload(to, from, shape);
  }
  void download(void *to, BufferView from, const CopyShape &shape) override {
    if (gate)
      gate->pass();
    isFailed |= gate && gate->fails(device);
    inner->download(to, from, shape);
  }
  void timestamp(uint64_t *at) override { inner->timestamp(at); }
  void record(Event &event) override {
    auto &held = static_cast<HeldEvent &>(event);
    held.isFailed = isFailed;
    inner->record(*held.inner);
  }
  void wait(Event &event) override {
    inner->wait(*static_cast<HeldEvent &>(event).inner);
  }
  void restart() override {
    isFailed = false;
    inner->restart();
  }
  uint64_t progress() const override { return inner->progress(); }
  RunningLaunches running() const override { return inner->running(); }

private:
  std::unique_ptr<Stream> inner;
  ReadGate *const gate;
  const std::string device;
  bool isFailed = false;
};

/// The CPU's device; of its streams all but the first, which runs steps, are
/// held.
class HeldDevice final : public Device {
public:
  HeldDevice(std::unique_ptr<Device> inner, ReadGate &gate)
      : Device(inner->name(), MemoryMeter::kNoLimit), inner(std::move(inner)),
        gate(gate) {}
  int fitness(std::string_view target, std::string_view level) const override {
    return inner->fitness(target, level);
  }
  std::string kind() const override { return inner->kind(); }
  StatusOr<std::unique_ptr<Buffer>> allocate(uint64_t bytes) override {
    return inner->allocate(bytes);
  }
  std::unique_ptr<Buffer> importHost(void *data, uint64_t bytes) override {
    return inner->importHost(data, bytes);
  }
  void reimportHost(Buffer &buffer, void *data, uint64_t bytes) override {
    inner->reimportHost(buffer, data, bytes);
  }
  StatusOr<std::shared_ptr<Image>>
  loadImage(std::span<const std::byte> bytes,
            std::span<const AssembledImage> assembled) override {
    return inner->loadImage(bytes, assembled);
  }
  StatusOr<std::unique_ptr<DeviceKernel>>
  makeKernel(std::shared_ptr<Image> image, const KernelDesc &desc) override {
    return inner->makeKernel(std::move(image), desc);
  }
  StatusOr<std::unique_ptr<Stream>> makeStream() override {
    SMP_ASSIGN_OR_RETURN(auto made, inner->makeStream());
    const bool isFirst = !std::exchange(hasStream, true);
    return std::unique_ptr<Stream>(
        new HeldStream(std::move(made), isFirst ? nullptr : &gate, name()));
  }
  std::unique_ptr<Event> makeEvent() override {
    return std::make_unique<HeldEvent>(inner->makeEvent());
  }
  const std::byte *readableInPlace(const Buffer &buffer) const override {
    return gate.lends(name()) ? inner->readableInPlace(buffer) : nullptr;
  }

private:
  const void *memorySpace() const override {
    static const char all = 0;
    return &all;
  }

  std::unique_ptr<Device> inner;
  ReadGate &gate;
  bool hasStream = false;
};

/// "held:0" is "cpu:0" with such streams.
class HeldDriver final : public Driver {
public:
  explicit HeldDriver(ReadGate &gate) : inner(makeCpuDriver()), gate(gate) {}
  std::string_view name() const override { return "held"; }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceSpec> specs,
       const DeviceOptions &options) override {
    SMP_ASSIGN_OR_RETURN(auto devices, inner->open(specs, options));
    std::vector<std::unique_ptr<Device>> held;
    for (auto &device : devices)
      held.push_back(std::make_unique<HeldDevice>(std::move(device), gate));
    return held;
  }

private:
  std::unique_ptr<Driver> inner;
  ReadGate &gate;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_EXEC_HELDREADS_H
