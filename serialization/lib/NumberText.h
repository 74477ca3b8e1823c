// SPDX-License-Identifier: Apache-2.0
// Numbers as JSON has them.

#ifndef SMP_SERIALIZATION_LIB_NUMBERTEXT_H
#define SMP_SERIALIZATION_LIB_NUMBERTEXT_H

#include <cstdint>
#include <string>

namespace smp {

/// 16 digits, for what a reader may not round as it does numbers.
std::string hexText(uint64_t value);
/// The shortest text that is read as the same number.
std::string realText(double value);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_NUMBERTEXT_H
