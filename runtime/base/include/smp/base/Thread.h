// SPDX-License-Identifier: Apache-2.0
// A thread.

#ifndef SMP_BASE_THREAD_H
#define SMP_BASE_THREAD_H

#include "smp/base/Status.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace smp {

/// Runs a function on a thread of its own, on which no signal is delivered.
class Thread {
public:
  /// `name` is what debuggers show: its first 15 characters.
  static StatusOr<std::unique_ptr<Thread>> start(const std::string &name,
                                                 std::function<void()> body);
  /// Waits for the function to return. On the thread itself, lets it run to its
  /// end alone; in a process that was forked off since, where the thread does
  /// not exist, forgets it.
  ~Thread();
  Thread(const Thread &) = delete;
  Thread &operator=(const Thread &) = delete;

  /// Whether it is the calling one.
  bool isCurrent() const;

private:
  Thread() = default;
  struct State;
  std::unique_ptr<State> state;
};

/// Lets the calling thread run on these cores only. Best effort.
void pinThisThread(const std::vector<uint32_t> &cores);

} // namespace smp

#endif // SMP_BASE_THREAD_H
