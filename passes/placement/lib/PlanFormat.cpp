// SPDX-License-Identifier: Apache-2.0
#include "PlanFormat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace smp::passes {

static std::string formatted(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

std::string milliseconds(double seconds) {
  return formatted("%.3f ms", seconds * 1e3);
}

std::string sizeText(int64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  if (bytes < 1024 * 1024)
    return formatted("%.1f KiB", double(bytes) / 1024);
  return formatted("%.1f MiB", double(bytes) / (1024 * 1024));
}

} // namespace smp::passes
