// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Progress.h"
#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace smp {

static constexpr size_t kBarWidth = 24;

static bool isCapableTerminal(std::FILE *stream) {
  const char *kind = std::getenv("TERM");
  return ::isatty(::fileno(stream)) && kind && std::string_view(kind) != "dumb";
}

static size_t widthOf(std::FILE *stream) {
  struct winsize size = {};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

std::string formatProgress(uint64_t done, uint64_t total, std::string_view what,
                           size_t width) {
  std::string line;
  if (total > 0) {
    done = std::min(done, total);
    double share = double(done) / double(total);
    size_t full = size_t(share * double(kBarWidth));
    std::string percent = std::to_string(int(share * 100));
    line = "[" + std::string(full, '#') + std::string(kBarWidth - full, '.') +
           "] " + std::string(3 - std::min<size_t>(3, percent.size()), ' ') +
           percent + "% ";
  }
  line += what;
  line.resize(std::min(line.size(), width));
  return line;
}

Progress::Progress(std::FILE *stream, std::chrono::milliseconds interval)
    : stream(isCapableTerminal(stream) ? stream : nullptr), interval(interval),
      nextDraw(std::chrono::steady_clock::now() + interval) {}

Progress::~Progress() {
  if (!drawn)
    return;
  std::fputs("\r\x1b[K", stream);
  std::fflush(stream);
}

void Progress::update(uint64_t done, uint64_t total, std::string_view what) {
  auto now = std::chrono::steady_clock::now();
  if (!stream || now < nextDraw)
    return;
  nextDraw = now + interval;
  drawn = true;
  // The last column stays free: some terminals wrap when it is written.
  std::string line = formatProgress(done, total, what, widthOf(stream) - 1);
  std::fprintf(stream, "\r%s\x1b[K", line.c_str());
  std::fflush(stream);
}

} // namespace smp
