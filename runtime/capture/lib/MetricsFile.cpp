// SPDX-License-Identifier: Apache-2.0
#include "MetricsFile.h"
#include "JsonText.h"
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
    path = std::string(folder) + "/" + std::to_string(::getpid()) + ".json";
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
  ssize_t written = -1;
  if (file >= 0)
    written = ::write(file, text.data(), text.size());
  const int error = written < 0 ? errno : ENOSPC;
  if (file >= 0)
    ::close(file);
  if (written == ssize_t(text.size()))
    return Status();
  return unavailable("cannot write '" + path + "': " + std::strerror(error));
}

} // namespace smp
