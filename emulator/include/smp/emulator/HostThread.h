// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_HOSTTHREAD_H
#define SMP_EMULATOR_HOSTTHREAD_H

#include <functional>
#include <memory>
#include <pthread.h>

namespace smp::emulator {

/// A thread of the host. Where the system refuses one there is none, and the
/// process lives, which std::thread would end.
class HostThread {
public:
  /// Null where the system refuses.
  static std::unique_ptr<HostThread> start(std::function<void()> body);
  /// Waits for the body to return.
  ~HostThread();
  HostThread(const HostThread &) = delete;
  HostThread &operator=(const HostThread &) = delete;

private:
  explicit HostThread(std::function<void()> body) : body(std::move(body)) {}

  std::function<void()> body;
  pthread_t handle{};
  bool runs = false;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_HOSTTHREAD_H
