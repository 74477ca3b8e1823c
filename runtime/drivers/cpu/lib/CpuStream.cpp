// SPDX-License-Identifier: Apache-2.0
#include "CpuStream.h"
#include "smp/drivers/host/HostEvent.h"
#include <cassert>
#include <chrono>

namespace smp {

void CpuStream::launch(DeviceKernel &kernel,
                       std::span<const BufferView> buffers,
                       const LaunchInfo &info) {
  if (error.ok())
    error = mayLaunch();
  if (!error.ok())
    return;
  auto &host = static_cast<HostKernel &>(kernel);
  assert(buffers.size() == host.buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i)
    host.buffers[i] = hostAddress(buffers[i]);
  current.store(&info, std::memory_order_release);
  const TileFault fault = team.run(host);
  current.store(nullptr, std::memory_order_release);
  countOne();
  if (fault) [[unlikely]]
    error = faultStatus(info, fault.fault);
}

void CpuStream::copyNow(std::byte *to, const std::byte *from,
                        const CopyShape &shape) {
  if (!error.ok())
    return;
  copyRows(to, from, shape);
  countOne();
}

void CpuStream::copy(BufferView to, BufferView from, const CopyShape &shape) {
  copyNow(hostAddress(to), hostAddress(from), shape);
}

void CpuStream::upload(BufferView to, const void *from,
                       const CopyShape &shape) {
  copyNow(hostAddress(to), static_cast<const std::byte *>(from), shape);
}

void CpuStream::download(void *to, BufferView from, const CopyShape &shape) {
  copyNow(static_cast<std::byte *>(to), hostAddress(from), shape);
}

void CpuStream::timestamp(uint64_t *nanoseconds) {
  *nanoseconds =
      uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

void CpuStream::record(Event &event) {
  auto &host = static_cast<HostEvent &>(event);
  host.announce();
  host.complete(error);
}

void CpuStream::wait(Event &event) {
  Status status = static_cast<HostEvent &>(event).wait();
  if (error.ok())
    error = std::move(status);
}

/// Only the thread that uses the stream writes it.
void CpuStream::countOne() {
  completed.store(completed.load(std::memory_order_relaxed) + 1,
                  std::memory_order_relaxed);
}

uint64_t CpuStream::progress() const {
  return completed.load(std::memory_order_relaxed) * 0x9e3779b97f4a7c15u +
         team.progress();
}

} // namespace smp
