// SPDX-License-Identifier: Apache-2.0
// What a Session says, for Python's logging: kept by whichever thread says it,
// and handed on by the thread that calls, so that no thread of the runtime ever
// needs the interpreter.

#ifndef SMP_PYTHON_LOGLINES_H
#define SMP_PYTHON_LOGLINES_H

#include "smp/base/Log.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace smp::python {

class LogLines {
public:
  /// A sink that keeps lines in `lines`.
  static LogSink into(std::shared_ptr<LogLines> lines);
  /// Gives what was said since the last call to logging.getLogger("smp").
  /// Throws what a handler raises.
  void handOn() {
    if (any.load(std::memory_order_acquire))
      handOnAll();
  }

private:
  void handOnAll();

  struct Line {
    LogLevel level;
    std::string message;
  };
  std::mutex mutex;
  std::vector<Line> lines;
  std::atomic<bool> any = false;
};

} // namespace smp::python

#endif // SMP_PYTHON_LOGLINES_H
