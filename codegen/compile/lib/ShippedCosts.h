// SPDX-License-Identifier: Apache-2.0
// Costs of common devices, for who has not measured his own.

#ifndef SMP_COMPILE_LIB_SHIPPEDCOSTS_H
#define SMP_COMPILE_LIB_SHIPPEDCOSTS_H

#include <map>
#include <string>

namespace smp::compile {

/// Texts of files of costs (smp/serialization/CostsFile.h), by the kind of
/// device that was measured: "x86-64-v4". Each has that kind alone.
const std::map<std::string, const char *> &shippedCosts();

} // namespace smp::compile

#endif // SMP_COMPILE_LIB_SHIPPEDCOSTS_H
