// SPDX-License-Identifier: Apache-2.0
#include "LogLines.h"
#include "Unlocked.h"
#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace smp;
using namespace smp::python;

LogSink LogLines::into(std::shared_ptr<LogLines> lines) {
  return [lines = std::move(lines)](LogLevel level, std::string_view message) {
    const std::lock_guard lock(lines->mutex);
    lines->lines.push_back({level, std::string(message)});
    lines->any.store(true, std::memory_order_release);
  };
}

void LogLines::handOnAll() {
  std::vector<Line> said;
  {
    const std::lock_guard lock(mutex);
    said.swap(lines);
    any.store(false, std::memory_order_relaxed);
  }
  const nb::object getLogger = attributeOf("logging", "getLogger");
  const nb::object logger = whileItLasts([&] { return getLogger("smp"); });
  const nb::object warning = logger.attr("warning"), info = logger.attr("info");
  for (const Line &line : said) {
    const nb::object message = nb::steal(PyUnicode_DecodeUTF8(
        line.message.data(), Py_ssize_t(line.message.size()), "replace"));
    const nb::object &say = line.level == LogLevel::Warning ? warning : info;
    whileItLasts([&] { return say("%s", message); });
  }
}
