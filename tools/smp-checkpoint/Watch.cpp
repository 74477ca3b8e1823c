// SPDX-License-Identifier: Apache-2.0
#include "Watch.h"

namespace smp {

static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
static volatile std::sig_atomic_t receivedSignal = 0;

static void receive(int signal) { receivedSignal = signal; }

Interrupts::Interrupts() {
  receivedSignal = 0;
  struct sigaction action = {};
  action.sa_handler = receive;
  action.sa_flags = SA_RESTART | int(SA_RESETHAND);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) // As nohup says.
      ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (size_t i = 0; i < std::size(kSignals); ++i)
    ::sigaction(kSignals[i], &before[i], nullptr);
}

int Interrupts::received() { return receivedSignal; }

Status Watch::advance(uint64_t bytes, std::string_view what) {
  done += bytes;
  if (progress)
    progress->update(done, total, what);
  if (Interrupts::received())
    return Status(StatusCode::Cancelled, "interrupted; nothing was written");
  return Status();
}

} // namespace smp
