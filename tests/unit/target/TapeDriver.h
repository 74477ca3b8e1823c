// SPDX-License-Identifier: Apache-2.0
// Devices that run what TapeTarget makes.

#ifndef SMP_TESTS_TARGET_TAPEDRIVER_H
#define SMP_TESTS_TARGET_TAPEDRIVER_H

#include "smp/device/Device.h"

namespace smp::test {

/// A driver "tape". Its devices have memory of their own and do all work on the
/// thread that asks for it.
std::unique_ptr<Driver> makeTapeDriver();

} // namespace smp::test

#endif // SMP_TESTS_TARGET_TAPEDRIVER_H
