// SPDX-License-Identifier: Apache-2.0
// How several processes, or threads, run one program together. Since 0.1.

#ifndef SMP_RUNTIME_COMMUNICATORS_H
#define SMP_RUNTIME_COMMUNICATORS_H

#include "smp/device/Communicator.h"
#include <memory>

namespace smp {

/// Ranks 0 to size - 1 inside this process, for threads with a Session each.
SMP_API std::vector<std::unique_ptr<Communicator>>
createInProcessCommunicators(uint32_t size);

/// This process as one rank of several; returns when all ranks have met.
/// Starting the processes is the caller's matter.
SMP_API StatusOr<std::unique_ptr<Communicator>>
createSocketCommunicator(const SocketOptions &options);

} // namespace smp

#endif // SMP_RUNTIME_COMMUNICATORS_H
