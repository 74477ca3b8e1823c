// SPDX-License-Identifier: Apache-2.0
// What tests of kernels compile for and run on.

#ifndef SMP_TESTS_UNIT_CODEGEN_MACHINE_H
#define SMP_TESTS_UNIT_CODEGEN_MACHINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace smp::test {

/// A target, and devices here that run its kernels.
struct Machine {
  std::string target;
  std::vector<std::string> levels; ///< Those that run here, ascending.
  /// What a device may consist of: 1, and 2 where there are two cores.
  std::vector<unsigned> coreCounts = {1};

  /// A device for each of so many partitions, for SessionOptions::devices.
  std::string devices(uint32_t partitions, unsigned cores) const;
};

/// The processor that tests run on.
Machine cpuMachine();
/// The one that SMP_TEST_TARGET names, the processor if it names none. Ends the
/// process, with a message, when there is no such machine.
Machine machineUnderTest();

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CODEGEN_MACHINE_H
