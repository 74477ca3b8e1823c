// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Device.h"

namespace smp {

void DriverRegistry::add(std::unique_ptr<Driver> driver) {
  drivers.push_back(std::move(driver));
}

StatusOr<Driver *> DriverRegistry::find(std::string_view name) const {
  std::string known;
  for (const auto &driver : drivers) {
    if (driver->name() == name)
      return driver.get();
    known += (known.empty() ? "" : ", ") + std::string(driver->name());
  }
  return invalidArgument("there is no driver '" + std::string(name) +
                         "'; this build has: " + known);
}

} // namespace smp
