// SPDX-License-Identifier: Apache-2.0
// A stream that does its work later, on a thread of its own.

#ifndef SMP_DRIVERS_NULL_NULLSTREAM_H
#define SMP_DRIVERS_NULL_NULLSTREAM_H

#include "smp/base/Thread.h"
#include "smp/device/Stream.h"
#include "smp/drivers/host/Memory.h"
#include "smp/drivers/host/Tiles.h"
#include <deque>
#include <functional>
#include <mutex>
#include <random>

namespace smp {

class NullStream final : public Stream {
public:
  static StatusOr<std::unique_ptr<Stream>>
  create(const std::string &name, uint64_t seed, const HostBlock &scratch);
  /// Does what is still to be done.
  ~NullStream() override;

  void launch(DeviceKernel &kernel, std::span<const BufferView> buffers,
              const LaunchInfo &info) override;
  void copy(BufferView to, BufferView from, const CopyShape &shape) override;
  void upload(BufferView to, const void *from, const CopyShape &shape) override;
  void download(void *to, BufferView from, const CopyShape &shape) override;
  void timestamp(uint64_t *nanoseconds) override;
  void record(Event &event) override;
  void wait(Event &event) override;
  void restart() override;
  uint64_t progress() const override { return completed.load(); }
  RunningLaunches running() const override { return current.load(); }

private:
  NullStream(uint64_t seed, const HostBlock &scratch)
      : scratch(scratch), random(seed) {}
  void put(std::function<void()> work);
  void putCopy(std::byte *to, const std::byte *from, const CopyShape &shape);
  /// The next work; empty when there is none.
  std::function<void()> take();
  void wake();
  void threadMain();
  void delay();
  void runLaunch(HostKernel &kernel, const std::vector<void *> &buffers,
                 const LaunchInfo &info);

  const HostBlock &scratch; // Borrowed from the device.
  std::mutex lock;          // Of the queue.
  std::deque<std::function<void()>> queue;
  std::atomic<uint32_t> changes{0}; // The thread sleeps on it.
  std::atomic<bool> stopping{false};

  // Used by the thread only.
  std::mt19937_64 random;
  Status error;
  std::vector<uint32_t> order;

  std::atomic<const LaunchInfo *> current{nullptr};
  std::atomic<uint64_t> completed{0};
  std::unique_ptr<Thread> thread;
};

} // namespace smp

#endif // SMP_DRIVERS_NULL_NULLSTREAM_H
