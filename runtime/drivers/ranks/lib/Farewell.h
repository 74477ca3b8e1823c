// SPDX-License-Identifier: Apache-2.0
// The end of a conversation in which all is well.

#ifndef SMP_DRIVERS_RANKS_FAREWELL_H
#define SMP_DRIVERS_RANKS_FAREWELL_H

#include "smp/device/Communicator.h"

namespace smp {

/// Says on all connections that this rank leaves in `epoch`, and reads what
/// still comes, for nobody, until the others have closed their sides: by then
/// they have all that was sent to them. -1 stands for no connection. Returns
/// the indices of those that did not close in time.
std::vector<uint32_t> takeLeave(std::span<const int> sockets, uint64_t epoch,
                                Deadline deadline);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_FAREWELL_H
