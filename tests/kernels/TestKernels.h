// SPDX-License-Identifier: Apache-2.0
// The images of TestKernels.c, in the executable.

#ifndef SMP_TESTS_KERNELS_TESTKERNELS_H
#define SMP_TESTS_KERNELS_TESTKERNELS_H

#include <cstddef>
#include <span>

namespace smp::test {

std::span<const std::byte> testKernelsElf();
std::span<const std::byte> testKernelsPtx();

} // namespace smp::test

#endif // SMP_TESTS_KERNELS_TESTKERNELS_H
