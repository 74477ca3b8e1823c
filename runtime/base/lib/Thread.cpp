// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Thread.h"
#include "smp/base/ProcessMark.h"
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sched.h>

namespace smp {

struct Thread::State {
  pthread_t handle;
  std::function<void()> body;
  ProcessMark mark;
  bool isAlone = false; // Nobody waits for it. Written by the thread itself.

  static void *run(void *argument) {
    auto *state = static_cast<State *>(argument);
    state->body();
    if (state->isAlone)
      delete state;
    return nullptr;
  }
};

StatusOr<std::unique_ptr<Thread>> Thread::start(const std::string &name,
                                                std::function<void()> body) {
  std::unique_ptr<Thread> thread(new Thread);
  thread->state = std::make_unique<State>();
  thread->state->body = std::move(body);
  sigset_t all, before; // A new thread inherits its maker's mask.
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&thread->state->handle, nullptr, State::run,
                                   thread->state.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error) {
    thread->state.reset();
    return resourceExhausted("thread '" + name +
                             "' cannot be made: " + std::strerror(error));
  }
  pthread_setname_np(thread->state->handle, name.substr(0, 15).c_str());
  return thread;
}

Thread::~Thread() {
  if (!state)
    return;
  if (!state->mark.isHere()) {
    (void)state.release();
  } else if (isCurrent()) {
    pthread_detach(state->handle);
    state.release()->isAlone = true;
  } else {
    pthread_join(state->handle, nullptr);
  }
}

bool Thread::isCurrent() const {
  return state->mark.isHere() && pthread_equal(state->handle, pthread_self());
}

void pinThisThread(const std::vector<uint32_t> &cores) {
  if (cores.empty())
    return;
  const size_t limit = size_t(cores.back()) + 1; // Ascending.
  cpu_set_t *set = CPU_ALLOC(limit);
  const size_t bytes = CPU_ALLOC_SIZE(limit);
  CPU_ZERO_S(bytes, set);
  for (uint32_t core : cores)
    CPU_SET_S(core, bytes, set);
  pthread_setaffinity_np(pthread_self(), bytes, set);
  CPU_FREE(set);
}

} // namespace smp
