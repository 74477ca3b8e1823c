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
///
///   auto program = smp::SharedProgram::open("model.smp");
///   smp::SocketOptions sockets{rank, size, "tcp:host0:5000"};
///   sockets.program = program->fingerprint();
///   sockets.secret = secret;  // On one machine alone it needs none.
///   auto communicator = smp::createSocketCommunicator(sockets);
///
/// What is sent is not encrypted, nor checked once ranks know each other: on a
/// network that others can reach into, give it a tunnel.
SMP_API StatusOr<std::unique_ptr<Communicator>>
createSocketCommunicator(const SocketOptions &options);

} // namespace smp

#endif // SMP_RUNTIME_COMMUNICATORS_H
