// SPDX-License-Identifier: Apache-2.0
// Sessions of one program for many threads. Since 0.1.
//
//   auto pool = smp::SessionPool::open(*program, 4);
//   // On any thread:
//   smp::SessionPool::Lease session = pool->take();
//   auto output = session->step("predict", inputs);

#ifndef SMP_RUNTIME_SESSIONPOOL_H
#define SMP_RUNTIME_SESSIONPOOL_H

#include "smp/runtime/Session.h"
#include <optional>

namespace smp {

/// Sessions that are opened together and taken in turn. They share what is
/// prepared of the program's weights and the threads of their devices; each has
/// memory for its steps. Variables are each Session's own. Any thread may call.
class SMP_API SessionPool {
  struct State;

public:
  /// A Session that nobody else uses while this lives. Gone before the pool is,
  /// and not before the outputs of its steps are read and what was started with
  /// stepAsync() is done. What was set stays with the Session: variables, and a
  /// stop until clearStop().
  class SMP_API Lease {
  public:
    Lease(Lease &&) noexcept;
    Lease &operator=(Lease &&) noexcept;
    /// Gives the Session to whoever waits for one.
    ~Lease();
    Session &operator*() const { return *session; }
    Session *operator->() const { return session; }

  private:
    friend class SessionPool;
    Lease(State *of, Session *lent) : pool(of), session(lent) {}
    State *pool;      // Null: moved from.
    Session *session; // Of the pool.
  };

  /// Opens `size` Sessions, at least one, all with these options, whose
  /// callbacks several of them call at once. Without a communicator: each would
  /// need its own.
  static StatusOr<SessionPool> open(const SharedProgram &program, uint32_t size,
                                    const SessionOptions &options = {});
  SessionPool(SessionPool &&) noexcept;
  SessionPool &operator=(SessionPool &&) noexcept;
  ~SessionPool();

  /// Waits for a Session that is free; of several, takes the one that is
  /// longest so.
  Lease take();
  /// The same, or nothing where none is free now.
  std::optional<Lease> tryTake();
  uint32_t size() const;

private:
  explicit SessionPool(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace smp

#endif // SMP_RUNTIME_SESSIONPOOL_H
