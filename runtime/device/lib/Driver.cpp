// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Lists.h"
#include "smp/device/Device.h"

namespace smp {

void DriverRegistry::add(std::unique_ptr<Driver> driver) {
  drivers.push_back(std::move(driver));
}

std::vector<std::string> DriverRegistry::names() const {
  std::vector<std::string> names;
  for (const auto &driver : drivers)
    names.emplace_back(driver->name());
  return names;
}

StatusOr<Driver *> DriverRegistry::find(std::string_view name) const {
  for (const auto &driver : drivers)
    if (driver->name() == name)
      return driver.get();
  return invalidArgument(
      "there is no driver '" + std::string(name) + "'; this build has: " +
      join(drivers, ", ", [](const auto &driver) { return driver->name(); }));
}

} // namespace smp
