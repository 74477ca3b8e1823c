// SPDX-License-Identifier: Apache-2.0
// How large a program may be.

#ifndef SMP_TESTS_SUPPORT_PROGRAMSIZE_H
#define SMP_TESTS_SUPPORT_PROGRAMSIZE_H

#include <cstddef>
#include <span>
#include <string>

namespace smp::test {

/// Why the program is none that may be: it must load, with every byte of the
/// file in one of its parts, and have at most 1.15 times the bytes of the
/// weights in it, those of its kernels, and 1 MiB. Empty when it is one.
/// `program` is aligned as its reader wants it.
std::string checkSize(std::span<const std::byte> program);

} // namespace smp::test

#endif // SMP_TESTS_SUPPORT_PROGRAMSIZE_H
