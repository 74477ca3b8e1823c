// SPDX-License-Identifier: Apache-2.0
#include "smp/emulator/HostThread.h"

using namespace smp::emulator;

std::unique_ptr<HostThread> HostThread::start(std::function<void()> body) {
  std::unique_ptr<HostThread> thread(new HostThread(std::move(body)));
  const auto run = [](void *self) -> void * {
    static_cast<HostThread *>(self)->body();
    return nullptr;
  };
  thread->runs =
      pthread_create(&thread->handle, nullptr, run, thread.get()) == 0;
  return thread->runs ? std::move(thread) : nullptr;
}

HostThread::~HostThread() {
  if (runs)
    pthread_join(handle, nullptr);
}
