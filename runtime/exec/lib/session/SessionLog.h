// SPDX-License-Identifier: Apache-2.0
// What a Session has to say, one line at a time.

#ifndef SMP_EXEC_SESSIONLOG_H
#define SMP_EXEC_SESSIONLOG_H

#include "smp/base/CallApplication.h"
#include "smp/base/Log.h"
#include <mutex>

namespace smp {

/// Shared by the Session and the thread of its asynchronous steps, which may
/// outlive it. Any thread may say something. What the sink throws is lost.
class SessionLog {
public:
  explicit SessionLog(LogSink sink) : sink(std::move(sink)) {}

  void say(LogLevel level, std::string_view line) {
    if (!sink)
      return;
    std::lock_guard<std::mutex> hold(lock);
    callApplication(
        [&] { sink(level, line); }); // There is no one else to tell.
  }

  /// What a callback threw, if it did, as a warning.
  void sayThrown(const Thrown &thrown, const std::string &callback) {
    if (thrown)
      say(LogLevel::Warning,
          callback + " threw" + *thrown + "; the Session goes on");
  }

private:
  const LogSink sink;
  std::mutex lock;
};

} // namespace smp

#endif // SMP_EXEC_SESSIONLOG_H
