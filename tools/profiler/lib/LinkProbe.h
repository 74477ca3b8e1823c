// SPDX-License-Identifier: Apache-2.0
// What handing tensors over takes between two devices.

#ifndef SMP_TOOLS_LIB_LINKPROBE_H
#define SMP_TOOLS_LIB_LINKPROBE_H

#include "smp/device/Device.h"
#include "smp/model/Costs.h"

namespace smp {

/// Hands tensors from one device to the other, small and large ones, as a
/// Session does: the taker waits for them on a thread of its own. The time is
/// that from the end of the work that makes a tensor to the end of work that
/// reads all of it, less what such work takes on the device that made it.
StatusOr<LinkCosts> probeLink(Device &from, Device &to);

} // namespace smp

#endif // SMP_TOOLS_LIB_LINKPROBE_H
