// SPDX-License-Identifier: Apache-2.0
#include "OpenDevices.h"
#include "smp/base/Lists.h"
#include <map>

namespace smp {

std::string defaultDevices(uint32_t partitions, uint32_t ranks) {
  std::vector<std::string> devices;
  std::vector<uint32_t> next(ranks, 0);
  for (uint32_t i = 0; i < partitions; ++i) {
    const auto rank = uint32_t(uint64_t(i) * ranks / partitions);
    devices.push_back(std::to_string(rank) +
                      "/cpu:" + std::to_string(next[rank]++));
  }
  return join(devices, ",");
}

static Status checkRanks(std::span<const DeviceSpec> specs, uint32_t ranks) {
  for (const DeviceSpec &spec : specs)
    if (spec.rank >= ranks)
      return invalidArgument("device '" + std::to_string(spec.rank) + "/" +
                             spec.name() + "' is of rank " +
                             std::to_string(spec.rank) + "; there are " +
                             std::to_string(ranks) + " ranks");
  return Status();
}

/// "1 device", "2 devices"
static std::string counted(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

StatusOr<std::vector<DeviceSpec>>
chooseDevices(const std::string &list, uint32_t partitions, uint32_t ranks) {
  SMP_ASSIGN_OR_RETURN(std::vector<DeviceSpec> specs, parseDeviceList(list));
  if (specs.size() != partitions)
    return invalidArgument("program has " + counted(partitions, "partition") +
                           " but " + counted(specs.size(), "device") +
                           (specs.size() == 1 ? " was" : " were") +
                           " given: " + list + "; give one for each partition");
  SMP_RETURN_IF_ERROR(checkRanks(specs, ranks));
  return specs;
}

StatusOr<std::vector<std::unique_ptr<Device>>>
openDevices(std::span<const DeviceSpec> specs, uint32_t rank,
            const DriverRegistry &drivers, const DeviceOptions &options) {
  std::map<std::string, std::vector<size_t>> partitions; // By driver.
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].rank == rank)
      partitions[specs[i].driver].push_back(i);
  std::vector<std::unique_ptr<Device>> devices(specs.size());
  for (const auto &[name, places] : partitions) {
    SMP_ASSIGN_OR_RETURN(auto driver, drivers.find(name));
    std::vector<DeviceSpec> ofDriver;
    for (size_t place : places)
      ofDriver.push_back(specs[place]);
    SMP_ASSIGN_OR_RETURN(auto opened, driver->open(ofDriver, options));
    for (size_t i = 0; i < places.size(); ++i)
      devices[places[i]] = std::move(opened[i]);
  }
  return devices;
}

} // namespace smp
