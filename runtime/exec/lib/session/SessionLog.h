// SPDX-License-Identifier: Apache-2.0
// What a Session has to say, one line at a time.

#ifndef SMP_EXEC_SESSIONLOG_H
#define SMP_EXEC_SESSIONLOG_H

#include "smp/base/Log.h"
#include <mutex>

namespace smp {

/// Shared by the Session and the thread of its asynchronous steps, which may
/// outlive it. Any thread may say something.
class SessionLog {
public:
  explicit SessionLog(LogSink sink) : sink(std::move(sink)) {}

  void say(LogLevel level, std::string_view line) {
    if (!sink)
      return;
    std::lock_guard<std::mutex> hold(lock);
    sink(level, line);
  }

private:
  const LogSink sink;
  std::mutex lock;
};

} // namespace smp

#endif // SMP_EXEC_SESSIONLOG_H
