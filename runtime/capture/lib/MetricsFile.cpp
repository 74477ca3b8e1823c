// SPDX-License-Identifier: Apache-2.0
#include "MetricsFile.h"
#include "JsonText.h"
#include "smp/base/FileSystem.h"
#include "smp/base/WriteAll.h"
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace smp {

MetricsFile::MetricsFile() {
  if (const char *folder = std::getenv("SAGEMAKER_METRICS_DIRECTORY"))
    path = absolutePath(folder) + "/" + std::to_string(::getpid()) + ".json";
}

/// As Python writes and reads it, with NaN and infinities.
static std::string numberText(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value < 0 ? "-Infinity" : "Infinity";
  char digits[32];
  const auto [end, code] =
      std::to_chars(digits, digits + sizeof(digits), value);
  return {digits, end};
}

void MetricsFile::add(std::string_view name, double value,
                      const EventStep &step) {
  if (path.empty())
    return;
  const std::string metric =
      std::string(name) + "_" + std::string(toEventMode(step.mode));
  lines += jsonObject({{"MetricName", jsonLiteral(metric)},
                       {"Value", numberText(value)},
                       {"Timestamp", numberText(step.wallTime)},
                       {"IterationNumber", std::to_string(step.modeStep)}}) +
           "\n";
}

Status MetricsFile::write() {
  if (lines.empty())
    return Status();
  const std::string text = std::exchange(lines, std::string());
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const int error =
      file < 0 ? errno : writeAll(file, std::as_bytes(std::span(text)));
  if (file >= 0)
    ::close(file);
  return error ? unavailable("cannot write '" + path +
                             "': " + std::strerror(error))
               : Status();
}

} // namespace smp
