// SPDX-License-Identifier: Apache-2.0
#include "smp/runtime/SessionPool.h"
#include <condition_variable>
#include <deque>
#include <mutex>

namespace smp {

struct SessionPool::State {
  Lease takeFirst() {
    Session *session = free.front();
    free.pop_front();
    return {this, session};
  }

  std::deque<Session> sessions; // Stay where they are.
  std::mutex lock;              // Of `free`.
  std::deque<Session *> free;   // In turn: one that fails is not all there is.
  std::condition_variable given;
};

SessionPool::Lease::Lease(Lease &&other) noexcept
    : pool(std::exchange(other.pool, nullptr)), session(other.session) {}

SessionPool::Lease &SessionPool::Lease::operator=(Lease &&other) noexcept {
  std::swap(pool, other.pool);
  std::swap(session, other.session);
  return *this;
}

SessionPool::Lease::~Lease() {
  if (!pool)
    return;
  {
    std::lock_guard<std::mutex> hold(pool->lock);
    pool->free.push_back(session);
  }
  pool->given.notify_one();
}

SessionPool::SessionPool(std::unique_ptr<State> state)
    : state(std::move(state)) {}
SessionPool::SessionPool(SessionPool &&) noexcept = default;
SessionPool &SessionPool::operator=(SessionPool &&) noexcept = default;
SessionPool::~SessionPool() = default;

StatusOr<SessionPool> SessionPool::open(const SharedProgram &program,
                                        uint32_t size,
                                        const SessionOptions &options) {
  if (size == 0)
    return invalidArgument("a SessionPool of 0 Sessions serves nobody; its "
                           "size must be at least 1");
  if (options.communicator)
    return invalidArgument("Sessions of a SessionPool cannot share a "
                           "communicator; open one Session per rank");
  auto state = std::make_unique<State>();
  for (uint32_t i = 0; i < size; ++i) {
    SMP_ASSIGN_OR_RETURN(Session session, Session::open(program, options));
    state->sessions.push_back(std::move(session));
    state->free.push_back(&state->sessions.back());
  }
  return SessionPool(std::move(state));
}

SessionPool::Lease SessionPool::take() {
  std::unique_lock<std::mutex> hold(state->lock);
  state->given.wait(hold, [this] { return !state->free.empty(); });
  return state->takeFirst();
}

std::optional<SessionPool::Lease> SessionPool::tryTake() {
  std::lock_guard<std::mutex> hold(state->lock);
  if (state->free.empty())
    return std::nullopt;
  return state->takeFirst();
}

uint32_t SessionPool::size() const { return uint32_t(state->sessions.size()); }

} // namespace smp
