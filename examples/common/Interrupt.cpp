// SPDX-License-Identifier: Apache-2.0
#include "Interrupt.h"
#include <csignal>
#include <unistd.h>

namespace examples {

static volatile std::sig_atomic_t interruptCount = 0;

static void onInterrupt(int) {
  if (interruptCount)
    _exit(kInterruptedStatus);
  interruptCount = 1;
  static const char message[] =
      "\nending after what is being done; Ctrl-C again ends at once\n";
  if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
    _exit(kInterruptedStatus);
}

void watchInterrupts() { std::signal(SIGINT, onInterrupt); }

bool interrupted() { return interruptCount != 0; }

} // namespace examples
