// SPDX-License-Identifier: Apache-2.0
// The stream of a CPU device: all work is done at once.

#ifndef SMP_DRIVERS_CPU_CPUSTREAM_H
#define SMP_DRIVERS_CPU_CPUSTREAM_H

#include "Pool.h"
#include "smp/device/Stream.h"

namespace smp {

class CpuStream final : public Stream {
public:
  explicit CpuStream(Pool &pool) : pool(pool) {}

  void launch(DeviceKernel &kernel, std::span<const BufferView> buffers,
              const LaunchInfo &info) override;
  void copy(BufferView to, BufferView from, const CopyShape &shape) override;
  void upload(BufferView to, const void *from, const CopyShape &shape) override;
  void download(void *to, BufferView from, const CopyShape &shape) override;
  void timestamp(uint64_t *nanoseconds) override;
  void record(Event &event) override;
  void wait(Event &event) override;
  void restart() override { error = Status(); }
  uint64_t progress() const override;
  RunningLaunches running() const override {
    return current.load(std::memory_order_acquire);
  }

private:
  void copyNow(std::byte *to, const std::byte *from, const CopyShape &shape);
  void countOne();

  Pool &pool; // Borrowed from the device.
  Status error;
  std::atomic<const LaunchInfo *> current{nullptr};
  std::atomic<uint64_t> completed{0};
};

} // namespace smp

#endif // SMP_DRIVERS_CPU_CPUSTREAM_H
