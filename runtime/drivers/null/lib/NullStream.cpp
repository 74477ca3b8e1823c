// SPDX-License-Identifier: Apache-2.0
#include "NullStream.h"
#include "smp/device/Parking.h"
#include "smp/drivers/host/HostEvent.h"
#include <algorithm>
#include <chrono>
#include <numeric>
#include <sched.h>
#include <thread>

namespace smp {

StatusOr<std::unique_ptr<Stream>> NullStream::create(const std::string &name,
                                                     uint64_t seed,
                                                     const HostBlock &scratch) {
  std::unique_ptr<NullStream> stream(new NullStream(seed, scratch));
  SMP_ASSIGN_OR_RETURN(stream->thread,
                       Thread::start("smp " + name, [stream = stream.get()] {
                         stream->threadMain();
                       }));
  return std::unique_ptr<Stream>(std::move(stream));
}

/// Takes no lock: in a process that was forked off, nobody is there to give it
/// back.
NullStream::~NullStream() {
  stopping = true;
  wake();
}

void NullStream::put(std::function<void()> work) {
  {
    std::lock_guard<std::mutex> hold(lock);
    queue.push_back(std::move(work));
  }
  wake();
}

void NullStream::wake() {
  changes.fetch_add(1);
  unparkAll(changes);
}

std::function<void()> NullStream::take() {
  std::lock_guard<std::mutex> hold(lock);
  if (queue.empty())
    return nullptr;
  std::function<void()> work = std::move(queue.front());
  queue.pop_front();
  return work;
}

void NullStream::threadMain() {
  while (true) {
    const uint32_t seen = changes.load();
    const bool isLast = stopping;
    if (std::function<void()> work = take()) {
      delay();
      work();
      completed.fetch_add(1);
    } else if (isLast) {
      return;
    } else {
      park(changes, seen);
    }
  }
}

/// Mostly nothing, sometimes a turn for other threads, rarely a long one.
void NullStream::delay() {
  const uint64_t choice = random() % 32;
  if (choice == 0)
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
  for (uint64_t i = 0; choice < 8 && i < choice; ++i)
    sched_yield();
}

void NullStream::runLaunch(HostKernel &kernel,
                           const std::vector<void *> &buffers,
                           const LaunchInfo &info) {
  FloatControl control;
  TileFault faults;
  current = &info;
  kernel.buffers = buffers;
  order.resize(kernel.tiles);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  for (uint32_t tile : order)
    runTiles(kernel, scratch.data(), tile, 1, faults);
  current = nullptr;
  if (faults)
    error = faultStatus(info, faults.fault);
}

void NullStream::launch(DeviceKernel &kernel,
                        std::span<const BufferView> buffers,
                        const LaunchInfo &info) {
  std::vector<void *> addresses;
  for (const BufferView &view : buffers)
    addresses.push_back(hostAddress(view));
  auto &host = static_cast<HostKernel &>(kernel);
  put([this, &host, addresses = std::move(addresses), &info] {
    if (error.ok())
      error = mayLaunch();
    if (error.ok())
      runLaunch(host, addresses, info);
  });
}

void NullStream::putCopy(std::byte *to, const std::byte *from,
                         const CopyShape &shape) {
  put([this, to, from, shape] {
    if (error.ok())
      copyRows(to, from, shape);
  });
}

void NullStream::copy(BufferView to, BufferView from, const CopyShape &shape) {
  putCopy(hostAddress(to), hostAddress(from), shape);
}

void NullStream::upload(BufferView to, const void *from,
                        const CopyShape &shape) {
  putCopy(hostAddress(to), static_cast<const std::byte *>(from), shape);
}

void NullStream::download(void *to, BufferView from, const CopyShape &shape) {
  putCopy(static_cast<std::byte *>(to), hostAddress(from), shape);
}

void NullStream::timestamp(uint64_t *nanoseconds) {
  put([nanoseconds] {
    *nanoseconds =
        uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
  });
}

void NullStream::record(Event &event) {
  auto &host = static_cast<HostEvent &>(event);
  host.announce();
  put([this, &host] { host.complete(error); });
}

void NullStream::wait(Event &event) {
  auto &host = static_cast<HostEvent &>(event);
  put([this, &host, number = host.announced()] {
    Status status = host.waitFor(number);
    if (error.ok())
      error = std::move(status);
  });
}

void NullStream::restart() {
  put([this] { error = Status(); });
}

} // namespace smp
