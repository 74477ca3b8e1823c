// SPDX-License-Identifier: Apache-2.0
// A device for each partition.

#ifndef SMP_EXEC_OPENDEVICES_H
#define SMP_EXEC_OPENDEVICES_H

#include "smp/device/Device.h"

namespace smp {

/// What is taken when nobody says which: "cpu:0,cpu:1", or "0/cpu:0,1/cpu:0"
/// when there are ranks to share out.
std::string defaultDevices(uint32_t partitions, uint32_t ranks);

/// The list, which has one device per partition.
StatusOr<std::vector<DeviceSpec>>
chooseDevices(const std::string &list, uint32_t partitions, uint32_t ranks);

/// Opens those of `rank`, each driver's in one call; the others are null.
StatusOr<std::vector<std::unique_ptr<Device>>>
openDevices(std::span<const DeviceSpec> specs, uint32_t rank,
            const DriverRegistry &drivers, const DeviceOptions &options);

} // namespace smp

#endif // SMP_EXEC_OPENDEVICES_H
