// SPDX-License-Identifier: Apache-2.0
// How the ranks of a job meet.

#ifndef SMP_DRIVERS_RANKS_RENDEZVOUS_H
#define SMP_DRIVERS_RANKS_RENDEZVOUS_H

#include "Descriptor.h"
#include "smp/device/Communicator.h"

namespace smp {

/// Connects every pair of ranks: all come to rank 0, which tells each where the
/// others listen; then the higher rank connects to the lower. Returns the
/// connections by rank; this rank's own is not valid.
StatusOr<std::vector<Descriptor>> meet(const SocketOptions &options);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_RENDEZVOUS_H
