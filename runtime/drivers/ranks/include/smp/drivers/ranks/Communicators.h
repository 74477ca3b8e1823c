// SPDX-License-Identifier: Apache-2.0
// Communicators that need nothing but the operating system.

#ifndef SMP_DRIVERS_RANKS_COMMUNICATORS_H
#define SMP_DRIVERS_RANKS_COMMUNICATORS_H

#include "smp/device/Communicator.h"
#include <memory>

namespace smp {

/// Ranks 0 to size - 1 inside this process, for threads.
std::vector<std::unique_ptr<Communicator>>
makeInProcessCommunicators(uint32_t size);

/// This process as one rank of several; returns when all have met. Ranks
/// connect to each other directly.
StatusOr<std::unique_ptr<Communicator>>
connectSockets(const SocketOptions &options);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_COMMUNICATORS_H
