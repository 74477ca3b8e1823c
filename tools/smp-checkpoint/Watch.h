// SPDX-License-Identifier: Apache-2.0
// The person at the terminal, who sees how far it is and may end it.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_WATCH_H
#define SMP_TOOLS_SMP_CHECKPOINT_WATCH_H

#include "smp/base/Status.h"
#include "smp/tools/Progress.h"
#include <csignal>
#include <functional>

namespace smp {

/// Whoever works long calls advance() every MiB or so.
class Watch {
public:
  /// Draws a bar, see Progress; null: none. Borrows it.
  explicit Watch(Progress *progress = nullptr) : progress(progress) {}

  /// What is begun has so many bytes.
  void begin(uint64_t bytes) {
    total = bytes;
    done = 0;
  }
  /// So many more are done. Cancelled: the person has asked for a stop (see
  /// Interrupts), and what is not complete is to be taken back.
  Status advance(uint64_t bytes, std::string_view what);

private:
  Progress *progress;
  uint64_t total = 0, done = 0;
};

/// While it lives, the signals that ask for an end (INT, TERM, HUP) do not end
/// the process; the second one does. There is one at a time.
class Interrupts {
public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts &) = delete;

  /// The signal that came, or 0.
  static int received();

private:
  struct sigaction before[3];
};

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_WATCH_H
