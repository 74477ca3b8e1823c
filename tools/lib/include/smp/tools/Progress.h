// SPDX-License-Identifier: Apache-2.0
// A progress bar on a terminal, nothing in a pipe.

#ifndef SMP_TOOLS_PROGRESS_H
#define SMP_TOOLS_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace smp {

/// One line that is drawn over and over, and gone in the end. Not for more than
/// one thread at a time.
class Progress {
public:
  /// Draws on `stream` when that is a terminal that can go back in a line, at
  /// most once in an interval and not before the first one is over.
  explicit Progress(std::FILE *stream = stderr,
                    std::chrono::milliseconds interval = kInterval);
  ~Progress();
  Progress(const Progress &) = delete;

  /// `done` of `total` steps are behind us, `what` is being done now. A total
  /// of 0: nobody knows how many there are. Draws at most ten times a second.
  void update(uint64_t done, uint64_t total, std::string_view what);

private:
  static constexpr std::chrono::milliseconds kInterval{100};

  std::FILE *stream; ///< Borrowed; null when nothing is to be drawn.
  std::chrono::milliseconds interval;
  std::chrono::steady_clock::time_point nextDraw;
  bool drawn = false;
};

/// The line that update() draws: at most `width` characters.
std::string formatProgress(uint64_t done, uint64_t total, std::string_view what,
                           size_t width);

} // namespace smp

#endif // SMP_TOOLS_PROGRESS_H
