// SPDX-License-Identifier: Apache-2.0
#include "LogLines.h"
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
  const nb::object logger =
      nb::module_::import_("logging").attr("getLogger")("smp");
  for (const Line &line : said) {
    const nb::object message = nb::steal(PyUnicode_DecodeUTF8(
        line.message.data(), Py_ssize_t(line.message.size()), "replace"));
    logger.attr(line.level == LogLevel::Warning ? "warning" : "info")("%s",
                                                                      message);
  }
}
