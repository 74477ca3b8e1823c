// SPDX-License-Identifier: Apache-2.0
// Which cores a device is: what follows "cpu:0=".

#ifndef SMP_DRIVERS_CPU_CORELIST_H
#define SMP_DRIVERS_CPU_CORELIST_H

#include "smp/device/DeviceSpec.h"

namespace smp {

/// The cores that the spec's settings list, as "0-3" or "0,2,4-5"; ascending.
/// Empty: it has no settings.
StatusOr<std::vector<uint32_t>> parseCores(const DeviceSpec &spec);

} // namespace smp

#endif // SMP_DRIVERS_CPU_CORELIST_H
