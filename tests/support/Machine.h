// SPDX-License-Identifier: Apache-2.0
// What tests compile for and run on.

#ifndef SMP_TESTS_SUPPORT_MACHINE_H
#define SMP_TESTS_SUPPORT_MACHINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace smp::test {

/// A target, and devices here that run its kernels.
struct Machine {
  std::string target;
  std::string driver;              ///< Of the devices.
  std::vector<std::string> levels; ///< Those that run here, ascending.
  /// What a device may consist of: 1, and 2 where there are two cores.
  std::vector<unsigned> coreCounts = {1};

  /// A device for each of so many partitions, for SessionOptions::devices, of
  /// so many cores; 0: as many as the driver takes by itself.
  std::string devices(uint32_t partitions, unsigned cores = 0) const;
};

/// The processor that tests run on.
Machine cpuMachine();
/// The one whose target SMP_TEST_TARGET names, the processor if it names none.
/// Ends the process, with a message, when there is no such machine.
const Machine &machineUnderTest();

} // namespace smp::test

#endif // SMP_TESTS_SUPPORT_MACHINE_H
